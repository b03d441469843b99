import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 5_000;

/**
 * Waits for the git of an engine that was killed: it is not killed with it, and goes on making the worktree that is
 * about to be swept. It is known by the path in its command line. False when it still runs after five seconds. Where
 * there is no /proc nobody is seen, and the answer is true.
 */
export async function isLeftByEveryone(path: string): Promise<boolean> {
	for (const until = performance.now() + patienceMs; ; await sleep(50)) {
		if (!(await isNamedByProcess(path))) return true;
		if (performance.now() > until) return false;
	}
}

async function isNamedByProcess(path: string): Promise<boolean> {
	const processes = await readdir('/proc').catch(() => []); // another system
	for (const pid of processes.filter((name) => /^\d+$/.test(name))) {
		const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''); // it ended
		if (command.includes(path)) return true;
	}
	return false;
}
