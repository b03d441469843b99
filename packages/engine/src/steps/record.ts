import { encodeNode } from '@kapso-evolve/contracts';
import type { Campaign } from '../campaign.ts';
import { nodeOf } from '../node-of.ts';
import { isSavePoint, saveCampaign } from '../save-campaign.ts';
import { type Flight, totalCost } from '../state.ts';
import { bestNode } from './select-parent.ts';

/** The one commit point: with this line the candidate exists; state and history follow from it. */
export async function record(campaign: Campaign, flight: Flight): Promise<void> {
	campaign.emit({ type: 'phase', nodeId: flight.nodeId, phase: 'record' });
	const node = nodeOf(campaign, flight);
	await campaign.append({
		type: 'recorded',
		nodeId: flight.nodeId,
		attempt: flight.attempt,
		data: { node: encodeNode(node), elapsed_ms: campaign.elapsedMs() },
	});
	if (isSavePoint(campaign.state().nodes.length)) await saveCampaign(campaign);
	const best = bestNode(campaign);
	campaign.emit({
		type: 'recorded',
		node,
		best: best === null ? null : { nodeId: best.nodeId, score: best.score, branch: best.branchName },
		costUsd: totalCost(campaign.state()),
		elapsedSeconds: campaign.elapsedMs() / 1000,
	});
}
