import type { SearchNode } from '@kapso-evolve/contracts';
import { verifyCandidate } from '@kapso-evolve/eval-integrity';
import type { RepositoryReader } from '@kapso-evolve/workspace-git';
import type { ReadCampaign } from '../read-campaign.ts';
import { isAdopted } from './check-ledger.ts';
import { dataOf } from './check-snapshots.ts';
import { type Problem, problemOf } from './problem.ts';

/** Branch, lineage, bytes and verdict of one candidate, from the repository's objects. */
export async function checkCandidate(options: {
	readonly folder: string;
	readonly campaign: ReadCampaign;
	readonly repository: RepositoryReader;
	readonly node: SearchNode;
}): Promise<Problem[]> {
	const { folder, campaign, repository, node } = options;
	const problems: Problem[] = [];
	if (node.commit === null) return problems;
	try {
		const tip = (await repository.branches()).get(node.branchName);
		if (tip !== node.commit) {
			problems.push({
				code: 'BRANCH_MOVED',
				message: `${node.branchName} is at ${tip ?? 'nothing'}, the record says ${node.commit}`,
			});
		}
		const adopted = isAdopted(campaign, node);
		if (!adopted && !(await repository.isAncestor(node.parentCommit, node.commit))) {
			problems.push({ code: 'LINEAGE', message: `${node.parentCommit} is not an ancestor of ${node.commit}` });
		}
		const digest = await repository.treeDigest(node.commit);
		if (digest !== node.treeSha256)
			problems.push({ code: 'TREE_DIFFERS', message: `the bytes of ${node.commit} are not those that were recorded` });
		if (!adopted && campaign.suite !== null && node.outcome === 'scored') {
			const verdict = await verifyCandidate({
				tree: repository.candidateTree(node.commit),
				baseline: repository.candidateTree(campaign.launch.mainCommit),
				suite: campaign.suite,
				data: await dataOf(folder, campaign),
				level: node.evaluationLevel,
			});
			if (!verdict.valid)
				problems.push({
					code: 'VERDICT_DIFFERS',
					message: `candidate ${node.nodeId} was scored and is not valid: ${verdict.error}`,
				});
		}
	} catch (error) {
		problems.push(problemOf('COMMIT_UNREADABLE', error, `candidate ${node.nodeId}`));
	}
	return problems;
}
