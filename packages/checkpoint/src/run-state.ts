import { finiteSchema, sha256, sha256Schema, stoppedReasonSchema } from '@kapso-evolve/contracts';
import { z } from 'zod';

/** The format that this version writes, and the only one that it resumes. */
export const runStateVersion = 3;

const amount = finiteSchema.min(0);
const count = z.int().min(0);

/**
 * Where a campaign stands (milestone 3): the roadmap's ten fields, what real campaigns needed besides, and the place in
 * the ledger that the state belongs to. On disk the names are snake_case, beside `sha256`.
 */
export const runStateSchema = z
	.strictObject({
		schemaVersion: z.literal(runStateVersion),
		campaignId: z.string().min(1),
		engineVersion: z.string().min(1),
		/** Grows with every save. */
		generation: count,
		/** SHA-256 of the last ledger line that is part of this state. */
		ledgerHead: sha256Schema,
		status: z.enum(['running', 'completed']),
		strategyType: z.string().min(1),
		goal: z.string(),
		/** SHA-256 of the goal as UTF-8. */
		goalHash: sha256Schema,
		configFingerprint: sha256Schema,
		/** What the fingerprint was made of, so that a refusal can name what differs. */
		fingerprintParts: z.record(z.string(), z.string()),
		/** Over all slices. */
		completedIterations: count,
		/** Dollars, over all slices. */
		cumulativeCost: amount,
		/** True: some attempt's cost is not known, and the sum is a lower bound. */
		costUnknown: z.boolean(),
		costByComponent: z.record(z.string(), amount),
		/** Over all slices. */
		elapsedSeconds: amount,
		currentFeedback: z.string().nullable(),
		lastStop: z.strictObject({ reason: stoppedReasonSchema, detail: z.string().nullable() }).nullable(),
		/** Score of `main` in step 0, or null. */
		baselineScore: finiteSchema.nullable(),
		/** What the strategy's `dumpState` gave. */
		strategyState: z.record(z.string(), z.unknown()),
	})
	.refine((state) => state.goalHash === sha256(state.goal), {
		path: ['goalHash'],
		message: 'is not the SHA-256 of the goal',
	});
export type RunState = z.output<typeof runStateSchema>;
