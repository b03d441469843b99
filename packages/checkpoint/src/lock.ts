import { randomUUID } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, KapsoError, systemClock } from '@kapso-evolve/contracts';
import { createFileDurable, ensureFolder, syncFolder, writeFileDurable } from '@kapso-evolve/durable-fs';
import { currentProcess } from '@kapso-evolve/process';
import { folderGone, isFolder } from './folder-gone.ts';
import { CampaignLockedError, lockLost } from './lock-error.ts';
import { encodeHolder, type LockHolder, readHolder, stateOfHolder } from './lock-holder.ts';

/** One writer for one campaign, until it releases the lock or dies. */
export interface CampaignLock {
	readonly nonce: string;
	readonly holder: LockHolder;
	/** Reads the file again. Throws `CAMPAIGN_LOCK_LOST` (locked): to be asked before whatever must not be done twice. */
	assertHeld(): Promise<void>;
	/** Removes the file if it is still this taking's; a second call does nothing. */
	release(): Promise<void>;
}

/** The lock file below `.kapso`. */
const fileName = 'lock';

/**
 * Takes the campaign's lock or throws `CampaignLockedError` at once, with the holder's pid, host and time. A holder that
 * is dead (killed, rebooted, its number given to another process) is taken over; one on another host never is.
 */
export async function acquireCampaignLock({
	folder,
	clock = systemClock,
}: {
	/** `.kapso` of the campaign. */
	readonly folder: string;
	readonly clock?: Clock;
}): Promise<CampaignLock> {
	const { pid, host, bootId, startTime } = currentProcess();
	// Never from injected ids: two processes of one test would share it.
	const holder = { pid, host, bootId, startTime, nonce: randomUUID(), since: clock.now().toISOString() };
	await ensureFolder(folder);
	const path = join(folder, fileName);
	await take(path, folder, holder);
	return {
		nonce: holder.nonce,
		holder,
		async assertHeld() {
			const now = await readHolder(path);
			if (now?.nonce === holder.nonce) return;
			throw now === null && !(await isFolder(folder)) ? folderGone(folder) : lockLost(path, now);
		},
		release: () => remove(path, folder, holder),
	};
}

/** Who holds the campaign according to its file, alive or not; null when nobody does. Needs no lock. */
export function readLock(folder: string): Promise<LockHolder | null> {
	return readHolder(join(folder, fileName));
}

/**
 * Creating the file is the whole lock. Replacing a dead holder's file needs a second one: of two processes that both
 * saw the same dead holder, the slower would otherwise replace the faster one's new file. The guard is a lock like any
 * other, so a guard whose owner died is taken over the same way, one level further.
 */
async function take(path: string, folder: string, holder: LockHolder): Promise<void> {
	for (;;) {
		if (await create(path, holder)) return;
		const found = await readHolder(path);
		if (found === null) continue; // Released between the two looks.
		if (stateOfHolder(found) !== 'dead') throw new CampaignLockedError({ path, holder: found });
		const guard = `${path}.takeover`;
		await take(guard, folder, holder);
		try {
			const now = await readHolder(path);
			if (now === null) continue;
			if (now.nonce !== found.nonce) throw new CampaignLockedError({ path, holder: now });
			await writeFileDurable(path, encodeHolder(holder), { mode: 0o600 });
			return;
		} finally {
			await remove(guard, folder, holder);
		}
	}
}

async function create(path: string, holder: LockHolder): Promise<boolean> {
	try {
		await createFileDurable(path, encodeHolder(holder), { mode: 0o600 });
		return true;
	} catch (thrown) {
		if (KapsoError.isInstance(thrown) && thrown.code === 'FILE_EXISTS') return false;
		throw thrown;
	}
}

async function remove(path: string, folder: string, holder: LockHolder): Promise<void> {
	if ((await readHolder(path))?.nonce !== holder.nonce) return;
	await unlink(path);
	await syncFolder(folder);
}
