import { describeThrown, KapsoError } from '@kapso-evolve/contracts';
import { isAlive } from '@kapso-evolve/process';
import { z } from 'zod';
import { readKept } from './read-kept.ts';
import { openSealed, seal } from './seal.ts';

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
		sha256: z.string(),
	})
	.transform(({ pid, host, boot_id: bootId, start_time: startTime, nonce, since }): LockHolder => {
		return { pid, host, bootId, startTime, nonce, since };
	});

/** One sealed line: a changed byte must not make a living holder look like a dead one. */
export function encodeHolder({ pid, host, bootId, startTime, nonce, since }: LockHolder): string {
	const fields = { pid, host, boot_id: bootId, start_time: startTime, nonce, since };
	return `${seal(JSON.stringify(fields).slice(0, -1)).text}\n`;
}

/** The holder in a lock file; null without a file. Throws `LOCK_UNREADABLE` (locked): nobody may guess who holds it. */
export async function readHolder(path: string): Promise<LockHolder | null> {
	const bytes = await readKept(path);
	if (bytes === null) return null;
	try {
		if (bytes.at(-1) !== 0x0a || openSealed(bytes.subarray(0, -1)) === null) {
			throw new TypeError('its bytes do not end with their SHA-256');
		}
		return fileSchema.parse(JSON.parse(bytes.toString('utf8')));
	} catch (thrown) {
		throw new KapsoError({
			code: 'LOCK_UNREADABLE',
			category: 'locked',
			message: `The lock file ${path} does not say who holds the campaign: ${describeThrown(thrown)}.`,
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
