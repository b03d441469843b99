import { KapsoError } from '@kapso-evolve/contracts';
import { commitTree } from './finalise.ts';
import { currentBranch, headCommit } from './head.ts';
import { ingestCommits } from './ingest.ts';
import { createReferences, listReferences } from './references.ts';
import type { Repository } from './repository.ts';
import { safeSwitch } from './safe-switch.ts';
import { emptyTree } from './switch-recovery.ts';

const main = 'refs/heads/main';

/**
 * Milestone 1: an existing `main` is checked out and no branch is renamed; without one, `main` is made at the commit
 * that HEAD is at. A work tree that cannot be switched safely stays as it is, and the returned lines say so.
 */
export async function restoreMain(
	repository: Repository,
	checkout: boolean,
): Promise<{ mainCommit: string; repairs: string[] }> {
	const done: string[] = [];
	let commit = (await listReferences(repository, main)).get(main);
	if (commit === undefined) {
		commit = (await headCommit(repository)) ?? (await startCommit(repository));
		await createReferences(repository, new Map([[main, commit]]));
		done.push(`created main at ${commit}`);
	}
	const branch = await currentBranch(repository);
	if (!checkout || branch === 'main') return { mainCommit: commit, repairs: done };
	try {
		await safeSwitch(repository, { branch: 'main', commit });
	} catch (error) {
		if (!KapsoError.isInstance(error) || error.code !== 'CHECKOUT_REFUSED') throw error;
		done.push(`stayed on ${branch ?? 'a detached HEAD'}: ${error.message}`);
	}
	return { mainCommit: commit, repairs: done };
}

async function startCommit(repository: Repository): Promise<string> {
	const tree = await emptyTree(repository);
	const commit = await commitTree(repository, { tree, parent: null, message: 'Start of the campaign\n' });
	await ingestCommits(repository, { commits: [commit], known: [] });
	return commit;
}
