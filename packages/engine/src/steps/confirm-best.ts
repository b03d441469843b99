import type { SearchNode } from '@kapso-evolve/contracts';
import { isReproduced } from '@kapso-evolve/eval-integrity';
import { type Campaign, evaluationOf, isEngineScored } from '../campaign.ts';
import { evidenceOf } from '../evidence.ts';
import { saveCampaign } from '../save-campaign.ts';
import { refuseInfrastructure, scoreCommit } from '../score-commit.ts';
import { bestNode } from './select-parent.ts';

/** A winner must score again from scratch; at most this many are tried (CONTRACTS 2). */
const maxTries = 3;

/** The best candidate that reproduced, or null. Where nobody but the agent measured, there is nothing to reproduce. */
export async function confirmBest(campaign: Campaign): Promise<SearchNode | null> {
	for (let tried = 0; tried < maxTries; tried++) {
		const best = bestNode(campaign);
		if (best === null || best.confirmation === 'confirmed' || !isEngineScored(campaign.level)) return best;
		campaign.throwIfInterrupted();
		campaign.emit({ type: 'confirming', nodeId: best.nodeId });
		const { stripped, notProven } = best;
		const again = await scoreCommit(campaign, best.commit!, { stripped, notProven, fresh: true });
		campaign.throwIfInterrupted();
		refuseInfrastructure(again);
		const reproduced =
			again.score !== null &&
			isReproduced({ first: best.score!, again: again.score, noise: evaluationOf(campaign)?.noise ?? 0 });
		await campaign.append({
			type: 'confirmed',
			nodeId: best.nodeId,
			attempt: best.attempt,
			data: { reproduced, ...evidenceOf(campaign, again, best as typeof best & { readonly commit: string }) },
		});
		await saveCampaign(campaign);
	}
	const best = bestNode(campaign);
	return best?.confirmation === 'confirmed' ? best : null;
}
