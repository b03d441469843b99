import { evaluateIteration } from '@kapso-evolve/iteration-evaluator';
import type { Campaign } from '../campaign.ts';
import { nodeOf } from '../node-of.ts';
import type { Flight } from '../state.ts';

/** The same for a candidate that is measured again after a crash. */
export function idempotencyKeyOf(campaign: Campaign, commit: string): string {
	return `${campaign.launch.campaignId}:${commit}`;
}

/** Milestone 4: the caller's evaluator, once, on exactly that commit; what it says steers nothing. */
export async function evaluateExternally(campaign: Campaign, flight: Flight): Promise<void> {
	const finalised = flight.steps.finalised!;
	if (campaign.evaluator === null || finalised.status !== 'committed') return;
	campaign.emit({ type: 'phase', nodeId: flight.nodeId, phase: 'external' });
	const commit = finalised.commit as string;
	const external = await evaluateIteration({
		evaluator: campaign.evaluator,
		policy: campaign.settings.iterationEvaluatorFailurePolicy,
		context: {
			iteration: flight.iteration,
			goal: campaign.settings.goal,
			gitRef: flight.branch,
			parentRef: flight.parent.branch,
			commit,
			parentCommit: flight.parent.commit,
			node: nodeOf(campaign, flight),
			idempotencyKey: idempotencyKeyOf(campaign, commit),
		},
		withWorktree: async (use) => {
			await using worktree = await campaign.workspace.materialize(commit);
			return await use(worktree.path);
		},
		deadlineMs: campaign.settings.iterationEvaluatorDeadlineMinutes * 60_000,
		signal: campaign.surroundings.signal,
	});
	campaign.throwIfInterrupted();
	await campaign.append({
		type: 'external',
		nodeId: flight.nodeId,
		attempt: flight.attempt,
		data: {
			metrics: { ...external.metrics },
			primary_metric: external.primaryMetric,
			metadata: { ...external.metadata },
			error: external.error,
		},
	});
}
