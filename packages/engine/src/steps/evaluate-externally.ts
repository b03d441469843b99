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
	if (holdoutIsUsedUp(campaign)) return await refuseLook(campaign, flight);
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

/** Each recorded call that returned a held-out metric was a look at it. */
function holdoutIsUsedUp(campaign: Campaign): boolean {
	const { holdoutMetrics, maxHoldoutLooks } = campaign.settings;
	if (maxHoldoutLooks === null) return false;
	const { nodes, flights } = campaign.state();
	const seen = [...nodes.map((node) => node.metrics), ...flights.map((flight) => flight.steps.external?.metrics ?? {})];
	return seen.filter((metrics) => holdoutMetrics.some((name) => name in (metrics as object))).length >= maxHoldoutLooks;
}

async function refuseLook(campaign: Campaign, { nodeId, attempt }: Flight): Promise<void> {
	const error = `HoldoutLooksUsed: the holdout was looked at ${campaign.settings.maxHoldoutLooks} times and is not looked at again`;
	await campaign.append({
		type: 'external',
		nodeId,
		attempt,
		data: { metrics: {}, primary_metric: null, metadata: {}, error },
	});
}
