import type { RepositoryReader } from '@kapso-evolve/workspace-git';
import type { ReadCampaign } from '../read-campaign.ts';
import { type Problem, problemOf } from './problem.ts';

/** The number to beat is a claim about bytes as well: `main` as the campaign began. */
export async function checkBaseline({ launch, lines }: ReadCampaign, repository: RepositoryReader): Promise<Problem[]> {
	const line = lines.find((candidate) => candidate.type === 'evaluated' && candidate.node_id === null);
	const recorded = line?.data.tree_sha256;
	if (typeof recorded !== 'string') return [];
	try {
		if ((await repository.treeDigest(launch.mainCommit)) === recorded) return [];
		return [
			{ code: 'TREE_DIFFERS', message: `the bytes of main at ${launch.mainCommit} are not those that were scored` },
		];
	} catch (error) {
		return [problemOf('COMMIT_UNREADABLE', error, 'the baseline')];
	}
}
