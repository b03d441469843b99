import { createGenericSearch, type SearchStrategy } from '@kapso-evolve/search';
import { type Campaign, objectiveOf } from '../campaign.ts';
import type { Parent } from '../state.ts';

export function strategyOf(campaign: Campaign): SearchStrategy {
	return createGenericSearch({
		parentPolicy: campaign.settings.parentPolicy,
		objective: objectiveOf(campaign),
		nodes: campaign.state().nodes,
	});
}

/** One branch, one commit, one node: chosen here and reused by every later step (milestone 9). */
export function selectParent(campaign: Campaign): Parent {
	const choice = strategyOf(campaign).selectParent();
	return { ...choice, commit: choice.commit ?? campaign.launch.mainCommit };
}
