import { setTimeout as sleep } from 'node:timers/promises';
import {
	hasProcessTable,
	hasVariable,
	namespaceDepth,
	type ProcessEntry,
	readProcessEntry,
	readProcessTable,
} from './process-table.ts';
import { runMarkerVariable } from './run-marker.ts';
import { sendSignal } from './send-signal.ts';

/** A program and all that came from it: its group, its session, its descendants, and whoever inherited its marker. */
export interface ProcessTree {
	/** The living ones, as of now. Whoever was seen once stays known after its parent died. Linux only, else empty. */
	members(): readonly ProcessEntry[];
	/** One system call: SIGKILL to the program's process group. False when nobody was left in it. */
	killGroup(): boolean;
	/**
	 * SIGTERM, up to `graceMs` to end, then SIGKILL again and again until nothing is left. With a grace of 0 at once
	 * SIGKILL. Returns early when nothing is left, and at the latest `patienceMs` after the first SIGKILL.
	 */
	end(options: { readonly graceMs: number; readonly patienceMs: number }): Promise<void>;
}

export function openProcessTree(root: number, marker?: string): ProcessTree {
	const rootStart = readProcessEntry(root)?.startTime ?? 0;
	let known: ReadonlyMap<number, number> = new Map();

	const members = (): readonly ProcessEntry[] => {
		if (root === 0) return [];
		const table = readProcessTable();
		const found = findMembers(table, { root, rootStart, marker, known });
		known = new Map(found.map((entry) => [entry.pid, entry.startTime]));
		return found;
	};
	const isGone = (): boolean => (hasProcessTable ? members().length === 0 : !sendSignal(-root, 0));
	const killGroup = (): boolean => root !== 0 && sendSignal(-root, 'SIGKILL');

	return {
		members,
		killGroup,
		async end({ graceMs, patienceMs }) {
			if (root === 0) return;
			if (graceMs > 0) {
				askToEnd(root, members());
				const until = performance.now() + graceMs;
				for (let pause = 5; performance.now() < until; pause = Math.min(pause * 2, 50)) {
					await sleep(Math.min(pause, Math.max(until - performance.now(), 0)));
					if (isGone()) return;
				}
			}
			const until = performance.now() + patienceMs;
			for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
				killGroup();
				const left = members();
				for (const entry of left) sendSignal(entry.pid, 'SIGKILL');
				if (hasProcessTable ? left.length === 0 : isGone()) return;
				if (performance.now() > until) return;
				await sleep(pause);
			}
		},
	};
}

/**
 * SIGTERM to everyone except the process that stands outside a PID namespace and waits for it (bubblewrap's monitor):
 * its death would kill the namespace at once and take the grace from the program inside.
 */
function askToEnd(root: number, members: readonly ProcessEntry[]): void {
	if (members.length === 0) {
		sendSignal(-root, 'SIGTERM');
		return;
	}
	const depth = new Map(members.map((entry) => [entry.pid, namespaceDepth(entry.pid)]));
	const monitors = new Set(
		members
			.filter((entry) => (depth.get(entry.pid) ?? 1) > (depth.get(entry.parent) ?? Infinity))
			.map((entry) => entry.parent),
	);
	for (const entry of members) {
		if (monitors.has(entry.pid)) continue;
		sendSignal(entry.pid, 'SIGTERM');
		sendSignal(entry.pid, 'SIGCONT'); // one that is stopped would not hear it
	}
}

interface Search {
	readonly root: number;
	readonly rootStart: number;
	readonly marker: string | undefined;
	readonly known: ReadonlyMap<number, number>;
}

function findMembers(table: ReadonlyMap<number, ProcessEntry>, search: Search): ProcessEntry[] {
	const { root, rootStart, marker, known } = search;
	const current = table.get(root);
	// When the pid of the collected program was given to a stranger, its group and session mean nothing any more.
	const isRootOurs = current === undefined || current.startTime === rootStart;
	// Nothing that came from the program is older than it: this leaves a handful to look at, on any machine.
	const candidates = [...table.values()].filter(
		(entry) => entry.startTime >= rootStart && entry.pid !== process.pid && entry.state !== 'Z' && entry.state !== 'X',
	);
	const inside = new Set<number>();
	for (const entry of candidates) {
		const isInSession = isRootOurs && (entry.pid === root || entry.group === root || entry.session === root);
		if (isInSession || known.get(entry.pid) === entry.startTime) inside.add(entry.pid);
	}
	addDescendants(candidates, inside);
	if (marker !== undefined) {
		const assignment = `${runMarkerVariable}=${marker}`;
		for (const entry of candidates) {
			if (!inside.has(entry.pid) && hasVariable(entry.pid, assignment)) inside.add(entry.pid);
		}
		addDescendants(candidates, inside);
	}
	return candidates.filter((entry) => inside.has(entry.pid));
}

/** Adds to `inside` every entry that has an ancestor there. */
export function addDescendants(entries: readonly ProcessEntry[], inside: Set<number>): void {
	const children = Map.groupBy(entries, (entry) => entry.parent);
	const queue = [...inside];
	for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
		for (const child of children.get(pid) ?? []) {
			if (inside.has(child.pid)) continue;
			inside.add(child.pid);
			queue.push(child.pid);
		}
	}
}
