import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { currentProcess, isAlive } from '@kapso-evolve/process';

/** `.kapso-temporary-<pid>-<start>-<boot>-<host>-<random>`: says who writes it, so that it can be judged later. */
const pattern = /^\.kapso-temporary-(\d+)-([\d@]*)-([0-9a-f]{8})-([0-9a-f]{8})-[0-9a-f]{12}$/;

export function temporaryName(): string {
	const { pid, startTime, bootId, host } = currentProcess();
	return `.kapso-temporary-${pid}-${startTime}-${digest(bootId)}-${digest(host)}-${randomBytes(6).toString('hex')}`;
}

/**
 * Removes the temporary files that killed writers of this package left in a folder, and names them. A file whose writer
 * lives, or cannot be judged from this machine, stays; so does everything that is not exactly of our pattern.
 */
export async function sweepTemporaries(folder: string): Promise<readonly string[]> {
	const removed: string[] = [];
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		if (!entry.isFile() || !isAbandoned(entry.name)) continue;
		await rm(join(folder, entry.name), { force: true });
		removed.push(entry.name);
	}
	return removed;
}

function isAbandoned(name: string): boolean {
	const [, pid, startTime = '', boot, host] = pattern.exec(name) ?? [];
	if (pid === undefined || host !== digest(hostname())) return false;
	const here = currentProcess();
	if (boot !== digest(here.bootId)) return true;
	return isAlive({ pid: Number(pid), startTime, bootId: here.bootId, host: here.host }) === 'dead';
}

function digest(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
