import { readdirSync, readFileSync } from 'node:fs';

/** One process as the kernel shows it (proc(5)). Only Linux has this view; elsewhere every answer here is empty. */
export interface ProcessEntry {
	readonly pid: number;
	/** Z is a zombie: dead, only not collected yet. */
	readonly state: string;
	readonly parent: number;
	readonly group: number;
	readonly session: number;
	/** Clock ticks since boot. With the pid it names one process for ever. */
	readonly startTime: number;
	/** User and system time, that of its collected children included, in clock ticks (100 a second on Linux). */
	readonly cpuTicks: number;
	readonly residentPages: number;
}

export const hasProcessTable = process.platform === 'linux';

/** Every process that can be seen, by pid. */
export function readProcessTable(): Map<number, ProcessEntry> {
	const table = new Map<number, ProcessEntry>();
	if (!hasProcessTable) return table;
	for (const name of readdirSync('/proc')) {
		const entry = isPid(name) ? readProcessEntry(Number(name)) : null;
		if (entry !== null) table.set(entry.pid, entry);
	}
	return table;
}

/** Null when there is no such process (any more). */
export function readProcessEntry(pid: number): ProcessEntry | null {
	const stat = readProcFile(`/proc/${pid}/stat`)?.toString('latin1');
	if (stat === undefined) return null;
	// The second field is the program's name in parentheses and may itself contain blanks and parentheses.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const number = (field: number): number => Number(fields[field - 3]);
	return {
		pid,
		state: fields[0] ?? '',
		parent: number(4),
		group: number(5),
		session: number(6),
		startTime: number(22),
		cpuTicks: number(14) + number(15) + number(16) + number(17),
		residentPages: number(24),
	};
}

/** True when the process was started with this variable in its environment. */
export function hasVariable(pid: number, assignment: string): boolean {
	const environment = readProcFile(`/proc/${pid}/environ`);
	if (environment === null) return false;
	return environment.indexOf(`${assignment}\0`) === 0 || environment.includes(`\0${assignment}\0`);
}

/** How many PID namespaces deep a process sits, seen from here; 1 is our own. */
export function namespaceDepth(pid: number): number {
	const status = readProcFile(`/proc/${pid}/status`)?.toString('latin1') ?? '';
	return /^NSpid:\s*(.*)$/m.exec(status)?.[1]?.split(/\s+/).length ?? 1;
}

/** Null when the process is gone or not ours to look at. */
export function readProcFile(path: string): Buffer | null {
	try {
		return readFileSync(path);
	} catch {
		return null; // a process may end, or belong to someone else, at any moment: both mean "not one of ours"
	}
}

function isPid(name: string): boolean {
	const first = name.charCodeAt(0);
	return first >= 48 && first <= 57;
}
