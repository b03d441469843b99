import { KapsoError } from '@kapso-evolve/contracts';
import { isAlive } from '@kapso-evolve/process';
import { z } from 'zod';
import { readKept } from './read-kept.ts';

/** Who holds a lock: the process, told from a later one with its number by start time and boot; and which taking of it. */
export interface LockHolder {
	readonly pid: number;
	readonly host: string;
	readonly bootId: string;
	readonly startTime: string;
	/** Unique for each time that the lock was taken. */
	readonly nonce: string;
	/** ISO 8601. */
	readonly since: string;
}

const fileSchema = z
	.strictObject({
		pid: z.int().min(1),
		host: z.string(),
		boot_id: z.string(),
		start_time: z.string(),
		nonce: z.string().min(1),
		since: z.string(),
	})
	.transform(({ boot_id: bootId, start_time: startTime, ...rest }): LockHolder => ({ ...rest, bootId, startTime }));

export function encodeHolder({ pid, host, bootId, startTime, nonce, since }: LockHolder): string {
	return `${JSON.stringify({ pid, host, boot_id: bootId, start_time: startTime, nonce, since })}\n`;
}

/** The holder in a lock file; null without a file. Throws `LOCK_UNREADABLE` (locked): nobody may guess who holds it. */
export async function readHolder(path: string): Promise<LockHolder | null> {
	const bytes = await readKept(path);
	if (bytes === null) return null;
	try {
		return fileSchema.parse(JSON.parse(bytes.toString('utf8')));
	} catch (thrown) {
		throw new KapsoError({
			code: 'LOCK_UNREADABLE',
			category: 'locked',
			message: `The lock file ${path} does not say who holds the campaign.`,
			hint: `Nothing was changed. If no kapso-evolve runs on this campaign, on any machine, remove the file: rm '${path}'`,
			data: { path },
			cause: thrown,
		});
	}
}

/** `unknown`: the process is on another machine, where nobody here can look. */
export function stateOfHolder(holder: LockHolder): 'alive' | 'dead' | 'unknown' {
	const { pid, host, bootId, startTime } = holder;
	return isAlive({ pid, host, bootId, startTime });
}
