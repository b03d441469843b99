import { z } from 'zod';
import { finiteSchema } from './vocabulary.ts';

/** At most this many bytes are read of a scorer's result file (CONTRACTS 1). */
export const maxResultBytes = 4 * 1024 * 1024;

/** What the scorer writes to `KAPSO_RESULT_PATH` (CONTRACTS 1). Unknown keys break the contract. */
export const evaluationResultSchema = z.discriminatedUnion('valid', [
	z.strictObject({
		schema_version: z.literal(1),
		valid: z.literal(true),
		score: finiteSchema,
		metrics: z.record(z.string().min(1), finiteSchema).default({}),
		case_scores: z.array(finiteSchema).optional(),
		cases: z.int().min(0).optional(),
		feedback: z.string().optional(),
	}),
	z.strictObject({ schema_version: z.literal(1), valid: z.literal(false), reason: z.string() }),
]);
export type EvaluationResult = z.output<typeof evaluationResultSchema>;
