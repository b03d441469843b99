import { isBetter } from '@kapso-evolve/search';
import { type Campaign, evaluationOf, objectiveOf } from '../campaign.ts';
import type { Flight } from '../state.ts';
import { isTargetReached } from '../target.ts';

/** The rule: what the suite said, how the score compares, and whether the target is reached. Fails closed. */
export async function giveFeedback(campaign: Campaign, flight: Flight): Promise<void> {
	const evaluated = flight.steps.evaluated!;
	const score = evaluated.outcome === 'scored' ? (evaluated.score as number) : null;
	const reached = isTargetReached({ score, level: campaign.level, evaluation: evaluationOf(campaign) });
	await campaign.append({
		type: 'feedback',
		nodeId: flight.nodeId,
		attempt: flight.attempt,
		data: { source: 'rule', should_stop: reached, text: feedbackText(campaign, flight, score) },
	});
}

function feedbackText(campaign: Campaign, flight: Flight, score: number | null): string {
	const evaluated = flight.steps.evaluated!;
	if (score === null) return String(evaluated.error ?? evaluated.code ?? evaluated.outcome);
	const state = campaign.state();
	const parent = state.nodes.find((node) => node.nodeId === flight.parent.nodeId);
	const before = parent === undefined ? (state.baseline?.score ?? null) : parent.score;
	const comparison =
		before === null
			? `Score ${score}.`
			: `Score ${score}, ${isBetter(score, before, objectiveOf(campaign)) ? 'better than' : score === before ? 'the same as' : 'worse than'} the parent's ${before}.`;
	return [comparison, String(evaluated.feedback ?? '')].filter((part) => part !== '').join('\n');
}
