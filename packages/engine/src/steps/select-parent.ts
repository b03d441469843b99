import type { SearchNode } from '@kapso-evolve/contracts';
import { type Campaign, objectiveOf } from '../campaign.ts';
import { bestOf, strategyFor } from '../ranking.ts';
import type { Parent } from '../state.ts';

/** One branch, one commit, one node: chosen here and reused by every later step (milestone 9). */
export function selectParent(campaign: Campaign): Parent {
	const choice = strategyFor(rankingOf(campaign)).selectParent();
	return { ...choice, commit: choice.commit ?? campaign.launch.mainCommit };
}

export function bestNode(campaign: Campaign): SearchNode | null {
	return bestOf(rankingOf(campaign));
}

function rankingOf(campaign: Campaign): Parameters<typeof strategyFor>[0] {
	return { settings: campaign.settings, objective: objectiveOf(campaign), nodes: campaign.state().nodes };
}
