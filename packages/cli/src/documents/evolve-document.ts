import { finiteSchema, stoppedReasonSchema } from '@kapso-evolve/contracts';
import type { SolutionResult } from '@kapso-evolve/engine';
import { z } from 'zod';
import { bestDocument, campaignFields, deliverySchema } from './common.ts';

/** `evolve --json`, `resume --json`; `demo --json` adds `hidden_score`. */
export const evolveDocumentSchema = z.strictObject({
	...campaignFields,
	resumed: z.boolean(),
	iterations: z.int().min(0),
	stopped_reason: stoppedReasonSchema,
	delivery: deliverySchema,
	/** Of the delivered candidate: observed, never guiding. */
	external_metrics: z.record(z.string(), finiteSchema),
	external_primary_metric: z.string().nullable(),
});
export type EvolveDocument = z.output<typeof evolveDocumentSchema>;

export function evolveDocument(solution: SolutionResult): EvolveDocument {
	const { metadata } = solution;
	return {
		schema_version: 1,
		output: solution.outputPath,
		goal: solution.goal,
		resumed: metadata.resumed,
		objective: solution.objective,
		iterations: metadata.iterations,
		cumulative_iterations: metadata.cumulativeIterations,
		stopped_reason: metadata.stoppedReason,
		stop_detail: metadata.stopDetail,
		baseline_score: solution.baselineScore,
		improved: solution.improved,
		best: bestDocument(solution.best),
		delivery: {
			ref: solution.delivery.ref,
			checked_out: solution.delivery.checkedOut,
			reason: solution.delivery.reason,
		},
		candidates: { ...solution.candidates },
		invalid_evaluations: [...metadata.invalidEvaluations],
		external_metrics: { ...metadata.externalMetrics },
		external_primary_metric: metadata.externalPrimaryMetric,
		cost_usd: metadata.costUsd,
		cost_unknown: metadata.costUnknown,
		elapsed_seconds: metadata.elapsedSeconds,
		ledger_head: metadata.ledgerHead,
	};
}
