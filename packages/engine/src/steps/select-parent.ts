import type { SearchNode } from '@kapso-evolve/contracts';
import type { Campaign } from '../campaign.ts';
import type { Parent } from '../state.ts';

/** One branch, one commit, one node: chosen here and reused by every later step (milestone 9). */
export function selectParent(campaign: Campaign): Parent {
	const choice = campaign.strategy().selectParent();
	return { ...choice, commit: choice.commit ?? campaign.launch.mainCommit };
}

/** The best candidate as it was recorded, its score the suite's own. */
export function bestNode(campaign: Campaign): SearchNode | null {
	const best = campaign.strategy().best();
	return best === null ? null : campaign.state().nodes[best.nodeId]!;
}
