import { KapsoError, type SearchNode } from '@kapso-evolve/contracts';
import { recheckSource } from '@kapso-evolve/eval-integrity';
import type { Campaign } from './campaign.ts';
import { type Delivery, DeliveryError, type SolutionResult } from './result.ts';
import { solutionOf } from './solution-of.ts';
import { recordStop } from './steps/record-stop.ts';
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
	const { best, stop } = options;
	await reportChangedSources(campaign);
	const { delivery, refusal } =
		best?.commit == null
			? { delivery: undelivered(stop), refusal: null }
			: await checkOut(campaign, { branch: best.branchName, commit: best.commit });
	await recordStop(campaign, stop);
	const solution = solutionOf(campaign, { ...options, delivery });
	if (refusal !== null) throw new DeliveryError(solution, refusal);
	return solution;
}

async function checkOut(
	campaign: Campaign,
	winner: { readonly branch: string; readonly commit: string },
): Promise<{ delivery: Delivery; refusal: KapsoError | null }> {
	try {
		const { ref } = await campaign.workspace.checkoutBest(winner);
		return { delivery: { ref, checkedOut: true, reason: null }, refusal: null };
	} catch (error) {
		if (!KapsoError.isInstance(error)) throw error;
		return { delivery: { ref: winner.branch, checkedOut: false, reason: error.message }, refusal: error };
	}
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
