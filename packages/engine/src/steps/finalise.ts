import { type CandidateTree, KapsoError } from '@kapso-evolve/contracts';
import { removeTree } from '@kapso-evolve/durable-fs';
import type { Finalised } from '@kapso-evolve/workspace-git';
import type { Campaign } from '../campaign.ts';
import type { Flight } from '../state.ts';
import { attemptFolder, cloneOf } from './implement.ts';

/** Makes one commit of everything the agent left and gives it a branch, once; then the clone may go. */
export async function finalise(campaign: Campaign, flight: Flight): Promise<void> {
	campaign.emit({ type: 'phase', nodeId: flight.nodeId, phase: 'finalise' });
	const place = { nodeId: flight.nodeId, attempt: flight.attempt };
	let finalised: Finalised;
	try {
		finalised =
			(await adoptBranch(campaign, flight)) ??
			(await campaign.workspace.finalise({
				clone: cloneOf(campaign, flight),
				parentCommit: flight.parent.commit,
				branch: flight.branch,
				message: commitMessage(flight),
			}));
	} catch (error) {
		if (!KapsoError.isInstance(error) || error.category !== 'verdict') throw error;
		// The tree cannot be a candidate (names, kinds, broken objects). Its folder is kept for whoever wants to look.
		await campaign.append({
			type: 'finalised',
			...place,
			data: { status: 'rejected', code: error.code, error: error.message, kept: attemptFolder(campaign, flight) },
		});
		return;
	}
	const ignored =
		finalised.archive === null
			? null
			: await campaign.records.put({ ...place, name: 'ignored', bytes: finalised.archive });
	const base = { ignored_files: finalised.ignored.length, ignored, notes: [...finalised.notes] };
	if (finalised.status === 'no-change') {
		await campaign.append({ type: 'finalised', ...place, data: { status: 'no-change', ...base } });
	} else {
		const { commit, codeCommit, treeDigest, branch } = finalised;
		const diff = await campaign.records.put({
			...place,
			name: 'diff',
			bytes: await campaign.workspace.diff(flight.parent.commit, commit),
		});
		await campaign.append({
			type: 'finalised',
			...place,
			data: { status: 'committed', branch, commit, code_commit: codeCommit, tree_sha256: treeDigest, diff, ...base },
		});
	}
	await campaign.workspace.removeClone(cloneOf(campaign, flight));
	await removeTree(attemptFolder(campaign, flight));
}

/**
 * A kill between the branch and its ledger line: the branch is this attempt's paid work, and its clone is still there to
 * compare. A branch of that name with other files was made by somebody else, who had no business in the campaign.
 */
async function adoptBranch(campaign: Campaign, flight: Flight): Promise<Finalised | null> {
	const { workspace } = campaign;
	const commit = (await workspace.branches()).get(flight.branch);
	if (commit === undefined) return null;
	const treeDigest = await workspace.treeDigest(commit);
	const tip = await workspace.objects.readCommit(commit);
	const clone = await workspace.workingTree(cloneOf(campaign, flight));
	const isOurs = tip.parents.length === 1 && tip.parents[0] === flight.parent.commit && tip.tree === treeOf(clone);
	if (!isOurs) {
		throw new KapsoError({
			code: 'BRANCH_TAKEN',
			category: 'verdict',
			message: `${flight.branch} was made in the campaign by somebody else than the engine`,
			hint: 'the agent’s files are kept in its clone; nothing was scored',
			data: { branch: flight.branch, commit },
		});
	}
	return {
		status: 'committed',
		branch: flight.branch,
		commit,
		codeCommit: commit,
		treeDigest,
		ignored: [],
		archive: null,
		notes: ['adopted after a crash: ignored files were not archived'],
	};
}

function treeOf(tree: CandidateTree): string | null {
	return 'source' in tree && typeof tree.source === 'string' ? tree.source : null;
}

function commitMessage(flight: Flight): string {
	const summary = String(flight.steps.agent?.summary ?? '').trim();
	// An agent's words: Git refuses a NUL, and a terminal obeys the rest.
	const title = summary
		.split('\n', 1)[0]!
		.replaceAll(/[\p{Cc}\s]+/gu, ' ')
		.slice(0, 72)
		.trim();
	const attempt = `Candidate ${flight.nodeId}, attempt ${flight.attempt}, on ${flight.parent.branch}.`;
	return `${title || `candidate ${flight.nodeId}`}\n\n${attempt}\n`;
}
