import { readProcessEntry, readProcFile } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';

export interface Limits {
	readonly memoryBytes?: number;
	readonly processes?: number;
	readonly cpuMs?: number;
}

export type Limit = 'memory' | 'processes' | 'cpu';

export interface Usage {
	readonly cpuMs: number;
	readonly peakMemoryBytes: number;
}

export interface Meter {
	/** What was measured; null when nothing could be. */
	stop(): Usage | null;
}

const longestIntervalMs = 100;
const pageBytes = 4096;
/** USER_HZ, 100 on every Linux that Node runs on (time(7)). */
const tickMs = 10;

/**
 * Samples a tree, densely at first so that short programs are measured too. Memory is the sum of the resident sets,
 * which counts shared pages once for each process; only when that passes the limit are they counted properly.
 */
export function createMeter(tree: ProcessTree, limits: Limits, onPassed: (limit: Limit) => void): Meter {
	let usage: Usage | null = null;
	let timer: NodeJS.Timeout;
	const sample = (): void => {
		const members = tree.members();
		if (members.length === 0) return;
		const cpuMs = members.reduce((sum, entry) => sum + entry.cpuTicks, 0) * tickMs;
		let memory = members.reduce((sum, entry) => sum + entry.residentPages, 0) * pageBytes;
		if (memory > (limits.memoryBytes ?? Infinity)) {
			memory = members.reduce((sum, entry) => sum + proportionalBytes(entry.pid), 0);
		}
		usage = {
			cpuMs: Math.max(cpuMs, usage?.cpuMs ?? 0),
			peakMemoryBytes: Math.max(memory, usage?.peakMemoryBytes ?? 0),
		};
		if (memory > (limits.memoryBytes ?? Infinity)) onPassed('memory');
		else if (members.length > (limits.processes ?? Infinity)) onPassed('processes');
		else if (cpuMs > (limits.cpuMs ?? Infinity)) onPassed('cpu');
	};
	const schedule = (interval: number): void => {
		timer = setTimeout(() => {
			sample();
			schedule(Math.min(interval * 2, longestIntervalMs));
		}, interval);
	};
	schedule(4);
	return {
		stop() {
			clearTimeout(timer);
			return usage;
		},
	};
}

/** Shared pages divided among those who share them; a process that is just ending has none any more. */
function proportionalBytes(pid: number): number {
	const rollup = readProcFile(`/proc/${pid}/smaps_rollup`)?.toString('latin1') ?? '';
	const kilobytes = /^Pss:\s*(\d+) kB$/m.exec(rollup)?.[1];
	if (kilobytes !== undefined) return Number(kilobytes) * 1024;
	return (readProcessEntry(pid)?.residentPages ?? 0) * pageBytes;
}
