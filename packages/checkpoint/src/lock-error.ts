import { KapsoError } from '@kapso-evolve/contracts';
import { type LockHolder, stateOfHolder } from './lock-holder.ts';

/** `CAMPAIGN_LOCKED`: another process works on this campaign, or may. `data` is its pid, host and since when. */
export class CampaignLockedError extends KapsoError {
	readonly holder: LockHolder;

	constructor({ path, holder }: { readonly path: string; readonly holder: LockHolder }) {
		const { pid, host, since } = holder;
		super({
			code: 'CAMPAIGN_LOCKED',
			category: 'locked',
			message: `Process ${pid} on ${host} holds this campaign since ${since}.`,
			hint:
				stateOfHolder(holder) === 'unknown'
					? `Nothing was changed. That is another machine or container, so nobody here can see whether the process lives. If it certainly does not: rm '${path}'`
					: 'Nothing was changed. Wait for it, or stop it with Ctrl-C or "kill -INT"; "kapso-evolve status DIR" looks at it without the lock.',
			data: { pid, host, since, path },
		});
		this.holder = holder;
	}
}

/** `CAMPAIGN_LOCK_LOST` (locked): the file no longer names this taking of the lock, so this process must not write. */
export function lockLost(path: string, now: LockHolder | null): KapsoError {
	return new KapsoError({
		code: 'CAMPAIGN_LOCK_LOST',
		category: 'locked',
		message:
			now === null
				? `The lock file ${path} of this process is gone.`
				: `The lock file ${path} is held by process ${now.pid} on ${now.host} now, since ${now.since}.`,
		hint: 'This process stopped writing. What it had recorded is kept: resume when no other process runs.',
		data: { path, pid: now?.pid ?? null, host: now?.host ?? null },
	});
}
