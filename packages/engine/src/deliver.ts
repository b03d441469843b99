import { KapsoError, type SearchNode } from '@kapso-evolve/contracts';
import { recheckSource } from '@kapso-evolve/eval-integrity';
import type { Campaign } from './campaign.ts';
import { type Delivery, DeliveryError, type SolutionResult } from './result.ts';
import { solutionOf } from './solution-of.ts';
import type { Stop } from './steps/should-stop.ts';

/** Checks the winner out where the user looks for it. A refusal keeps the result: it is thrown with it inside. */
export async function deliver(
	campaign: Campaign,
	options: {
		readonly stop: Stop;
		readonly best: SearchNode | null;
		readonly iterationsBefore: number;
		readonly resumed: boolean;
	},
): Promise<SolutionResult> {
	const { best } = options;
	await reportChangedSources(campaign);
	if (best?.commit == null) return solutionOf(campaign, { ...options, delivery: undelivered(options.stop) });
	let refusal: KapsoError | null = null;
	let delivery: Delivery;
	try {
		const { ref } = await campaign.workspace.checkoutBest({ branch: best.branchName, commit: best.commit });
		delivery = { ref, checkedOut: true, reason: null };
	} catch (error) {
		if (!KapsoError.isInstance(error)) throw error;
		refusal = error;
		delivery = { ref: best.branchName, checkedOut: false, reason: error.message };
	}
	const solution = solutionOf(campaign, { ...options, delivery });
	if (refusal !== null) throw new DeliveryError(solution, refusal);
	return solution;
}

/** Scores were made with the campaign's own snapshot and stand; the caller is told that the original has moved on. */
async function reportChangedSources(campaign: Campaign): Promise<void> {
	for (const source of [campaign.suite, campaign.data]) {
		if (source === null) continue;
		try {
			await recheckSource(source);
		} catch (error) {
			if (!KapsoError.isInstance(error)) throw error;
			campaign.emit({ type: 'warning', code: error.code, message: error.message });
		}
	}
}

function undelivered(stop: Stop): Delivery {
	const reason = stop.reason === 'interrupted' ? 'interrupted' : 'no candidate can be delivered';
	return { ref: null, checkedOut: false, reason };
}
