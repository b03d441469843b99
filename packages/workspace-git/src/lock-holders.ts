import { readdir, readlink } from 'node:fs/promises';

/** How many processes have one of these files open; null where that cannot be told (no /proc). */
export async function lockHolders(paths: readonly string[]): Promise<number | null> {
	let holders = 0;
	const processes = await readdir('/proc').catch(() => null); // another system
	if (processes === null) return null;
	for (const pid of processes.filter((name) => /^\d+$/.test(name))) {
		const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []); // ended, or another user's
		for (const descriptor of descriptors) {
			const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''); // closed meanwhile
			if (paths.includes(target)) holders++;
		}
	}
	return holders;
}
