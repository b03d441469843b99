import type { Campaign } from '../campaign.ts';
import { completedIterations } from '../state.ts';
import { recordIntent } from './record-intent.ts';
import { selectParent } from './select-parent.ts';

/**
 * The node ids of one iteration, each with an attempt in flight: as many as there are lanes, allotted before any of them
 * starts. What a dead slice left is finished first, and an iteration of which it had begun a part only gets the rest.
 */
export async function planIteration(campaign: Campaign): Promise<readonly number[]> {
	const { parallel } = campaign.settings;
	const { flights, nodes } = campaign.state();
	for (const lost of flights.filter((flight) => flight.steps.agent === undefined)) {
		await recordIntent(campaign, { ...lost, lost });
	}
	const iteration = flights[0]?.iteration ?? completedIterations(campaign.state()) + 1;
	const begun = flights.length + nodes.slice(-parallel).filter((node) => node.iteration === iteration).length;
	const missing = Array.from({ length: parallel - begun }, (_, lane) => nodes.length + flights.length + lane);
	for (const nodeId of missing)
		await recordIntent(campaign, { parent: selectParent(campaign), nodeId, iteration, lost: null });
	return [...flights.map((flight) => flight.nodeId), ...missing];
}
