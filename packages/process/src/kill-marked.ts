import { setTimeout as sleep } from 'node:timers/promises';
import { hasVariable, readProcessTable } from './process-table.ts';
import { addDescendants } from './process-tree.ts';
import { runMarkerVariable } from './run-marker.ts';
import { sendSignal } from './send-signal.ts';

const patienceMs = 5_000;

/**
 * Kills what an earlier run left behind: every process that was started with `KAPSO_RUN_ID=<runMarker>`, and its
 * descendants, until none is left. Returns how many there were. Without Linux's /proc nothing can be found: 0.
 */
export async function killMarked(runMarker: string): Promise<number> {
	const killed = new Set<string>();
	const until = performance.now() + patienceMs;
	for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
		const living = [...readProcessTable().values()].filter(
			({ pid, state }) => pid !== process.pid && state !== 'Z' && state !== 'X',
		);
		const inside = new Set(
			living.filter(({ pid }) => hasVariable(pid, `${runMarkerVariable}=${runMarker}`)).map(({ pid }) => pid),
		);
		addDescendants(living, inside);
		const left = living.filter(({ pid }) => inside.has(pid));
		for (const { pid, startTime } of left) {
			sendSignal(pid, 'SIGKILL');
			killed.add(`${pid} ${startTime}`);
		}
		if (left.length === 0 || performance.now() > until) return killed.size;
		await sleep(pause);
	}
}
