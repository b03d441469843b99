import { stoppedReasonSchema } from '@kapso-evolve/contracts';
import type { CampaignView } from '@kapso-evolve/engine';
import { z } from 'zod';
import { bestDocument, campaignFields } from './common.ts';
import { externalSchema, externalValues } from './external.ts';

/** `status --json`: read from the files of a campaign, so it knows nothing of one call of `evolve`. */
export const statusDocumentSchema = z.strictObject({
	...campaignFields,
	stopped_reason: stoppedReasonSchema.nullable(),
	status: z.enum(['running', 'completed']),
	lock: z.record(z.string(), z.json()).nullable(),
	last_stop: z.strictObject({ reason: stoppedReasonSchema, detail: z.string().nullable() }).nullable(),
	/** Of the best candidate, only with `--external`. */
	external: externalSchema.optional(),
});
export type StatusDocument = z.output<typeof statusDocumentSchema>;

export function statusDocument(view: CampaignView, o: { readonly external: boolean }): StatusDocument {
	const best = view.nodes.find((node) => node.nodeId === view.best?.nodeId);
	return {
		schema_version: 1,
		output: view.output,
		goal: view.goal,
		objective: view.objective,
		cumulative_iterations: view.cumulativeIterations,
		stopped_reason: view.lastStop?.reason ?? null,
		stop_detail: view.lastStop?.detail ?? null,
		baseline_score: view.baselineScore,
		improved: view.improved,
		best: bestDocument(view.best),
		candidates: { ...view.candidates },
		invalid_evaluations: [...view.invalidEvaluations],
		cost_usd: view.costUsd,
		cost_unknown: view.costUnknown,
		elapsed_seconds: view.elapsedSeconds,
		ledger_head: view.ledgerHead,
		status: view.status,
		lock: view.lock === null ? null : JSON.parse(JSON.stringify(view.lock)),
		last_stop: view.lastStop === null ? null : { ...view.lastStop },
		...(o.external && best ? { external: externalValues(best) } : {}),
	};
}
