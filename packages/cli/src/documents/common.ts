import {
	commitIdSchema,
	evaluationLevelSchema,
	evaluationProvenanceSchema,
	finiteSchema,
	isolationSchema,
	objectiveSchema,
	scoreSourceSchema,
	sha256Schema,
} from '@kapso-evolve/contracts';
import type { BestCandidate } from '@kapso-evolve/engine';
import { z } from 'zod';

export const schemaVersion = z.literal(1);

export const bestSchema = z.strictObject({
	node_id: z.int().min(0),
	branch: z.string(),
	commit: commitIdSchema,
	score: finiteSchema.nullable(),
	score_source: scoreSourceSchema.nullable(),
	confirmed: z.boolean(),
	evaluation_level: evaluationLevelSchema,
	isolation: isolationSchema,
	evaluation_provenance: evaluationProvenanceSchema,
});

/** What `evolve` and `status` both say of a campaign. */
export const campaignFields = {
	schema_version: schemaVersion,
	output: z.string(),
	goal: z.string(),
	objective: objectiveSchema,
	cumulative_iterations: z.int().min(0),
	stop_detail: z.string().nullable(),
	baseline_score: finiteSchema.nullable(),
	improved: z.boolean(),
	best: bestSchema.nullable(),
	candidates: z.strictObject({
		total: z.int().min(0),
		scored: z.int().min(0),
		invalid: z.int().min(0),
		failed: z.int().min(0),
	}),
	invalid_evaluations: z.array(z.int().min(0)),
	cost_usd: z.number().min(0),
	cost_unknown: z.boolean(),
	elapsed_seconds: z.number().min(0),
	ledger_head: sha256Schema,
};

export const deliverySchema = z.strictObject({
	ref: z.string().nullable(),
	checked_out: z.boolean(),
	reason: z.string().nullable(),
});

export function bestDocument(best: BestCandidate | null): z.output<typeof bestSchema> | null {
	if (best === null) return null;
	return {
		node_id: best.nodeId,
		branch: best.branch,
		commit: best.commit,
		score: best.score,
		score_source: best.scoreSource,
		confirmed: best.confirmed,
		evaluation_level: best.evaluationLevel,
		isolation: best.isolation,
		evaluation_provenance: best.evaluationProvenance,
	};
}
