import { type LockHolder, readLock } from '@kapso-evolve/checkpoint';
import { isAlive } from '@kapso-evolve/process';

/** Who works on the campaign with this state folder; null also where the lock was left by a process that is dead. */
export async function readLiveHolder(stateFolderPath: string): Promise<LockHolder | null> {
	const holder = await readLock(stateFolderPath);
	return holder === null || isAlive(holder) === 'dead' ? null : holder;
}
