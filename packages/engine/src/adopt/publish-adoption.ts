import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireCampaignLock, readLedger } from '@kapso-evolve/checkpoint';
import { KapsoError, sha256, stateFolder } from '@kapso-evolve/contracts';
import { readBounded, removeTree, syncFolder } from '@kapso-evolve/durable-fs';
import { ledgerPath } from '../launch.ts';
import { adoptingFolder, isThere, picklePath } from './find-legacy.ts';

/** What an adoption builds, in the order in which it is moved; the last one makes the folder a campaign of ours. */
export const adoptedNames = [
	'suite',
	'data',
	'records',
	'ledger.jsonl',
	'run_state.json',
	'experiment_history.json',
	'launch.json',
] as const;

/** Finishes an adoption that was killed after it was built, and throws away one that was not. */
export async function finishAdoption(folder: string): Promise<void> {
	const adopting = adoptingFolder(folder);
	if (!(await isThere(adopting))) return;
	const lock = await acquireCampaignLock({ folder: join(folder, stateFolder) });
	try {
		const isWhole =
			(await isThere(join(adopting, 'launch.json'))) || (await isThere(join(folder, stateFolder, 'launch.json')));
		if (isWhole) await publishAdoption(folder);
		else await removeTree(adopting);
	} finally {
		await lock.release();
	}
}

/** Every step can be done again: a kill between two of them leaves the rest to the next call. */
export async function publishAdoption(folder: string): Promise<void> {
	const adopting = adoptingFolder(folder);
	const state = join(folder, stateFolder);
	for (const name of adoptedNames) {
		if (await isThere(join(adopting, name))) await rename(join(adopting, name), join(state, name));
	}
	await syncFolder(state);
	await retirePickle(folder);
	await removeTree(adopting);
}

/** The pickle gets another name, by which nobody opens it again; one with other bytes is not the one that was read. */
async function retirePickle(folder: string): Promise<void> {
	const pickle = picklePath(folder);
	const { lines } = await readLedger({ path: ledgerPath(folder) });
	const from = lines[0]?.data.adopted_from as { readonly source?: unknown; readonly sha256?: unknown } | undefined;
	if (from?.source !== 'checkpoint.pkl' || !(await isThere(pickle))) return;
	if (sha256(await readBounded(pickle, { maxBytes: 2 ** 30 })) !== from.sha256) return;
	const migrated = `${pickle}.migrated`;
	if (await isThere(migrated)) {
		throw new KapsoError({
			code: 'ADOPTION_REFUSED',
			category: 'usage',
			message: `${migrated} is there already, so ${pickle} was not renamed to it`,
			hint: 'the campaign is imported and whole; move one of the two files away, then resume',
			data: { pickle, migrated },
		});
	}
	await rename(pickle, migrated);
	await syncFolder(folder);
}
