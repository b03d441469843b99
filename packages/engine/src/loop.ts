import type { Campaign } from './campaign.ts';
import type { Flight } from './state.ts';
import { evaluateCandidate } from './steps/evaluate.ts';
import { evaluateExternally } from './steps/evaluate-externally.ts';
import { giveFeedback } from './steps/feedback.ts';
import { finalise } from './steps/finalise.ts';
import { implement } from './steps/implement.ts';
import { measureBaseline } from './steps/measure-baseline.ts';
import { record } from './steps/record.ts';
import { recordIntent } from './steps/record-intent.ts';
import { selectParent } from './steps/select-parent.ts';
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
		if (!hasUnfinishedWork(campaign)) {
			const stop = shouldStop(campaign);
			if (stop !== null) return stop;
			await recordIntent(campaign, campaign.state().flight?.parent ?? selectParent(campaign));
		}
		for (const [name, step] of steps) {
			campaign.throwIfInterrupted();
			const flight = campaign.state().flight!;
			if (!(name in flight.steps)) await step(campaign, flight);
		}
		await record(campaign, campaign.state().flight!);
	}
}

type Step = (campaign: Campaign, flight: Flight) => Promise<void>;

/** The lifecycle of ARCHITECTURE.md; a step's name is that of the line it leaves. */
const steps: readonly (readonly [string, Step])[] = [
	['agent', implement],
	['finalised', finalise],
	['integrity', verifyIntegrity],
	['evaluated', evaluateCandidate],
	['feedback', giveFeedback],
	['external', evaluateExternally],
];

/** True when the agent of the attempt in flight has ended and its result only waits to be used. */
function hasUnfinishedWork(campaign: Campaign): boolean {
	return campaign.state().flight?.steps.agent !== undefined;
}
