import type { Campaign } from '../campaign.ts';
import { completedIterations } from '../state.ts';
import { recordIntent } from './record-intent.ts';
import { selectParent } from './select-parent.ts';

/**
 * The node ids of one iteration, each with an attempt in flight: what a dead slice left is finished first, else as
 * many new ids as there are lanes, allotted before any of them starts.
 */
export async function planIteration(campaign: Campaign): Promise<readonly number[]> {
	const { flights, nodes } = campaign.state();
	for (const lost of flights.filter((flight) => flight.steps.agent === undefined)) {
		await recordIntent(campaign, { ...lost, lost });
	}
	if (flights.length > 0) return flights.map((flight) => flight.nodeId);
	const iteration = completedIterations(campaign.state()) + 1;
	const ids = Array.from({ length: campaign.settings.parallel }, (_, lane) => nodes.length + lane);
	for (const nodeId of ids)
		await recordIntent(campaign, { parent: selectParent(campaign), nodeId, iteration, lost: null });
	return ids;
}
