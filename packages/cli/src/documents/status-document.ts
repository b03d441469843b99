import { sha256Schema, stoppedReasonSchema } from '@kapso-evolve/contracts';
import type { CampaignView } from '@kapso-evolve/engine';
import { z } from 'zod';
import type { SliceView } from '../read-slice.ts';
import { bestDocument, campaignFields, deliverySchema } from './common.ts';
import { externalSchema, externalValues } from './external.ts';

/** `status --json`: the fields of `evolve` read from a campaign’s files, without the external ones. */
export const statusDocumentSchema = z.strictObject({
	...campaignFields,
	/** Of the last call, finished or not. */
	resumed: z.boolean(),
	iterations: z.int().min(0),
	/** What the folder shows now: whether the best candidate’s branch is checked out. */
	delivery: deliverySchema,
	stopped_reason: stoppedReasonSchema.nullable(),
	status: z.enum(['running', 'completed']),
	/** Written by a Python release, with this `schema_version`: no ledger, goes on with --resume --adopt only. */
	legacy_schema: z.literal([1, 2]).nullable(),
	ledger_head: sha256Schema.nullable(),
	lock: z.record(z.string(), z.json()).nullable(),
	last_stop: z.strictObject({ reason: stoppedReasonSchema, detail: z.string().nullable() }).nullable(),
	/** Of the best candidate, only with `--external`. */
	external: externalSchema.optional(),
});
export type StatusDocument = z.output<typeof statusDocumentSchema>;

export function statusDocument(
	view: CampaignView,
	o: { readonly external: boolean; readonly slice: SliceView },
): StatusDocument {
	const best = view.nodes.find((node) => node.nodeId === view.best?.nodeId);
	return {
		schema_version: 1,
		output: view.output,
		goal: view.goal,
		resumed: o.slice.resumed,
		objective: view.objective,
		iterations: o.slice.iterations,
		cumulative_iterations: view.cumulativeIterations,
		stopped_reason: view.lastStop?.reason ?? null,
		stop_detail: view.lastStop?.detail ?? null,
		baseline_score: view.baselineScore,
		improved: view.improved,
		best: bestDocument(view.best),
		delivery: deliveryDocument(view, o.slice.checkedOut),
		candidates: { ...view.candidates },
		invalid_evaluations: [...view.invalidEvaluations],
		cost_usd: view.costUsd,
		cost_unknown: view.costUnknown,
		elapsed_seconds: view.elapsedSeconds,
		ledger_head: view.ledgerHead,
		status: view.status,
		legacy_schema: view.legacySchema,
		lock: view.lock === null ? null : JSON.parse(JSON.stringify(view.lock)),
		last_stop: view.lastStop === null ? null : { ...view.lastStop },
		...(o.external && best ? { external: externalValues(best) } : {}),
	};
}

function deliveryDocument(view: CampaignView, checkedOut: string | null): StatusDocument['delivery'] {
	const ref = view.best?.branch ?? null;
	if (ref === null) return { ref, checked_out: false, reason: 'no candidate can be delivered' };
	if (ref === checkedOut) return { ref, checked_out: true, reason: null };
	return {
		ref,
		checked_out: false,
		reason: checkedOut === null ? 'no branch is checked out' : `${checkedOut} is checked out`,
	};
}
