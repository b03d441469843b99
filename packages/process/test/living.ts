import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** All that a program of these tests gets to see of the machine. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

/** Seconds for `sleep` that nobody else sleeps: the processes of a test are found by them, whatever they scrubbed. */
export function uniqueSeconds(): string {
	return `97.${randomInt(10 ** 9, 10 ** 10)}`;
}

/** The living processes (zombies are dead) with this text among their arguments, without the code under test. */
export function livingWith(text: string): number[] {
	return readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0 && pid !== process.pid && read(pid, 'cmdline').includes(text) && isLiving(pid));
}

export function isLiving(pid: number): boolean {
	return /^State:\s+[^ZX]/m.test(read(pid, 'status'));
}

/** Waits until a condition holds; throws after five seconds. */
export async function until(holds: () => boolean): Promise<void> {
	for (const end = performance.now() + 5_000; !holds(); await sleep(10)) {
		if (performance.now() > end) throw new Error('it did not happen within five seconds');
	}
}

function read(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'latin1');
	} catch {
		return ''; // it ended
	}
}
