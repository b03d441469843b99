import { type SearchNode, searchNodeSchema } from '@kapso-evolve/contracts';
import type { Campaign } from './campaign.ts';
import type { Flight } from './state.ts';

/** The node that an attempt's finished steps amount to. */
export function nodeOf(
	campaign: Pick<Campaign, 'suite' | 'level' | 'isolation'> & { readonly settings: { readonly agent: string } },
	flight: Flight,
): SearchNode {
	const { agent, finalised, evaluated, feedback, external } = flight.steps;
	const invalid = evaluated?.integrity === false;
	const committed = finalised?.status === 'committed';
	return searchNodeSchema.parse({
		nodeId: flight.nodeId,
		parentNodeId: flight.parent.nodeId,
		attempt: flight.attempt,
		iteration: flight.iteration,
		branchName: flight.branch,
		parentBranchName: flight.parent.branch,
		commit: committed ? finalised.commit : null,
		codeCommit: committed ? finalised.code_commit : null,
		parentCommit: flight.parent.commit,
		treeSha256: committed ? finalised.tree_sha256 : null,
		agent: campaign.settings.agent,
		solution: agent?.summary ?? '',
		outcome: evaluated?.outcome,
		code: evaluated?.code ?? null,
		errorMessage: evaluated?.error ?? null,
		score: evaluated?.score ?? null,
		scoreSource: evaluated?.score_source ?? null,
		reportedScore: agent?.reported_score ?? null,
		caseScores: evaluated?.case_scores ?? null,
		evaluationMetrics: evaluated?.metrics ?? {},
		feedback: feedback?.text ?? '',
		shouldStop: feedback?.should_stop === true && !invalid,
		evaluationValid: !invalid,
		evaluationProvenance: campaign.suite === null ? 'agent_generated' : 'provided',
		evaluationIntegrityError: invalid ? evaluated?.error : null,
		evaluationLevel: campaign.level,
		isolation: evaluated?.isolation ?? campaign.isolation,
		candidateIsolated: evaluated?.candidate_isolated ?? false,
		stripped: evaluated?.stripped ?? [],
		notProven: evaluated?.not_proven ?? [],
		metrics: external?.metrics ?? {},
		primaryMetric: external?.primary_metric ?? null,
		externalEvaluationMetadata: external?.metadata ?? {},
		externalEvaluationError: external?.error ?? null,
		costUsd: agent?.cost_usd ?? null,
		durationMs: agent?.agent_ms ?? 0,
		startedAt: flight.startedAt,
		sessionId: agent?.session_id ?? null,
		model: agent?.model ?? null,
		records: Object.fromEntries(
			Object.entries({
				transcript: agent?.transcript,
				report: agent?.report,
				diff: finalised?.diff,
				ignored: finalised?.ignored,
				evaluation: evaluated?.evaluation,
			}).filter((entry) => typeof entry[1] === 'string'),
		),
	});
}
