import type { LegacyCampaign, LegacyNode } from '@kapso-evolve/checkpoint';
import { type Outcome, type SearchNode, searchNodeSchema } from '@kapso-evolve/contracts';

/** Git's own name for "no commit". */
const noCommit = '0'.repeat(40);

/**
 * The candidates of a Python release's campaign as ours. Commits are what their branches are at now; an attempt that
 * failed and left none has none. A number that was reported under a suite that nobody recorded is `reported_score`: it
 * is never compared with what this engine measures.
 */
export function nodesOfLegacy(
	legacy: LegacyCampaign,
	options: {
		readonly branches: ReadonlyMap<string, string>;
		readonly mainCommit: string | null;
		readonly hasSuite: boolean;
	},
): SearchNode[] {
	const { branches, hasSuite } = options;
	const nodes: SearchNode[] = [];
	for (const node of legacy.nodes) {
		const parent = node.parent_node_id === null ? null : nodes[node.parent_node_id]!;
		const ended = endOf(node, hasSuite);
		nodes.push(
			searchNodeSchema.parse({
				nodeId: node.node_id,
				parentNodeId: node.parent_node_id,
				iteration: node.node_id + 1,
				branchName: node.branch_name || `legacy_${node.node_id}`,
				parentBranchName: parent?.branchName ?? 'main',
				commit: branches.get(node.branch_name) ?? null,
				parentCommit: (parent === null ? options.mainCommit : parent.commit) ?? noCommit,
				solution: node.solution,
				...ended,
				score: ended.outcome === 'scored' ? node.score : null,
				scoreSource: ended.outcome === 'scored' ? 'agent' : null,
				reportedScore: node.score,
				feedback: node.feedback,
				// Its vote to stop was about the goal of another run.
				shouldStop: false,
				evaluationValid: node.evaluation_valid,
				evaluationIntegrityError: node.evaluation_integrity_error,
				notProven: ['adopted-history'],
				metrics: node.metrics,
				primaryMetric: node.primary_metric,
				externalEvaluationMetadata: node.external_evaluation_metadata,
				externalEvaluationError: node.external_evaluation_error,
				costUsd: node.cost_usd,
				durationMs: (node.duration_seconds ?? 0) * 1000,
				startedAt: node.started_at,
			}),
		);
	}
	return nodes;
}

function endOf(
	node: LegacyNode,
	hasSuite: boolean,
): { readonly outcome: Outcome; readonly code: string | null; readonly errorMessage: string | null } {
	const { error_message: message } = node;
	if (!node.evaluation_valid) return { outcome: 'invalid', code: 'ADOPTED_INVALID', errorMessage: message || null };
	if (node.had_error) return { outcome: 'agent-failed', code: 'ADOPTED_FAILURE', errorMessage: message || null };
	if (node.score === null) return { outcome: 'no-report', code: 'NO_SCORE', errorMessage: null };
	if (hasSuite) return { outcome: 'no-report', code: 'ADOPTED_SCORE', errorMessage: null };
	return { outcome: 'scored', code: null, errorMessage: null };
}

/** Branches that candidates without an error must have, and have not. */
export function missingBranches(legacy: LegacyCampaign, branches: ReadonlyMap<string, string>): string[] {
	return legacy.nodes
		.filter((node) => !node.had_error && !branches.has(node.branch_name))
		.map((node) => node.branch_name || `(candidate ${node.node_id} names none)`);
}
