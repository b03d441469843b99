import type { Campaign } from './campaign.ts';
import type { Flight } from './state.ts';
import { evaluateCandidate } from './steps/evaluate.ts';
import { evaluateExternally } from './steps/evaluate-externally.ts';
import { giveFeedback } from './steps/feedback.ts';
import { finalise } from './steps/finalise.ts';
import { implement } from './steps/implement.ts';
import { measureBaseline } from './steps/measure-baseline.ts';
import { planIteration } from './steps/plan-iteration.ts';
import { record } from './steps/record.ts';
import { type Stop, shouldStop } from './steps/should-stop.ts';
import { verifyIntegrity } from './steps/verify-integrity.ts';

/**
 * One slice of a campaign. Each step leaves one durable line in the ledger, so a campaign that died between two
 * lines goes on with the step that the ledger does not have yet: what was paid for is not paid for twice.
 */
export async function runSlice(campaign: Campaign): Promise<Stop> {
	await measureBaseline(campaign);
	for (;;) {
		campaign.throwIfInterrupted();
		if (campaign.state().flights.length === 0) {
			const stop = shouldStop(campaign);
			if (stop !== null) return stop;
		}
		const lanes = await planIteration(campaign);
		await allLanes(lanes.map((nodeId) => runLane(campaign, nodeId)));
		for (const nodeId of lanes) await record(campaign, flightOf(campaign, nodeId));
	}
}

/** One candidate, from its agent to its external evaluation; results are recorded by the loop, in the order of ids. */
async function runLane(campaign: Campaign, nodeId: number): Promise<void> {
	for (const [name, step] of steps) {
		campaign.throwIfInterrupted();
		const flight = flightOf(campaign, nodeId);
		if (!(name in flight.steps)) await step(campaign, flight);
	}
}

type Step = (campaign: Campaign, flight: Flight) => Promise<void>;

/** The lifecycle of docs/architecture.md; a step's name is that of the line it leaves. */
const steps: readonly (readonly [string, Step])[] = [
	['agent', implement],
	['finalised', finalise],
	['integrity', verifyIntegrity],
	['evaluated', evaluateCandidate],
	['feedback', giveFeedback],
	['external', evaluateExternally],
];

function flightOf(campaign: Campaign, nodeId: number): Flight {
	return campaign.state().flights.find((flight) => flight.nodeId === nodeId)!;
}

/** Waits for every lane before it fails for one: what the siblings finish is in the ledger, and so is their money. */
async function allLanes(lanes: readonly Promise<void>[]): Promise<void> {
	for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason;
}
