import { z } from 'zod';
import { finiteSchema, objectiveSchema } from './vocabulary.ts';

/** Name of the evaluation file in a suite folder; its bytes are part of the suite's digest. */
export const evaluationFileName = 'kapso.evaluation.yaml';

const argv = z.array(z.string().min(1)).min(1, 'must name a program');
const globs = z.array(z.string().min(1));
const seconds = z.number().positive().max(86_400);

const runPhase = z.strictObject({
	command: argv,
	/** Suite files that the run phase may see. */
	files: globs.default([]),
	/** Files of `kapso_datasets` that the run phase may see. */
	data: globs.default([]),
	timeout_seconds: seconds.default(60),
});
const scorePhase = z.strictObject({ command: argv, timeout_seconds: seconds.default(60) });
const buildPhase = z.strictObject({ command: argv, timeout_seconds: seconds.default(300) });

/** CONTRACTS 1. The configuration key `evaluation:` has the same schema. */
export const evaluationFileSchema = z
	.strictObject({
		version: z.literal(1),
		objective: objectiveSchema.default('maximize'),
		target_score: finiteSchema.optional(),
		metrics: z.array(z.string().min(1)).default([]),
		cases: z.int().positive().optional(),
		run: runPhase.optional(),
		score: scorePhase.optional(),
		build: buildPhase.optional(),
		repeats: z.int().min(1).max(100).default(1),
		noise: z.number().min(0).default(0),
		artifacts: globs.default([]),
		protected_paths: globs.default([]),
		mounts: z
			.array(
				z.strictObject({
					path: z.string().startsWith('/'),
					at: z.string().startsWith('/'),
					digest: z.enum(['content', 'none']),
				}),
			)
			.default([]),
		devices: z.array(z.string().startsWith('/dev/')).default([]),
		env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable')).default([]),
		limits: z
			.strictObject({
				cpu_seconds: z.int().positive().default(600),
				memory_mb: z.int().positive().default(4096),
				processes: z.int().positive().default(64),
				output_mb: z.int().positive().default(256),
				output_files: z.int().positive().default(10_000),
			})
			.prefault({}),
		max_retries: z.int().min(0).max(10).default(0),
	})
	.superRefine((file, context) => {
		for (const phase of ['run', 'build'] as const) {
			if (file[phase] && !file.score) {
				context.addIssue({
					code: 'custom',
					path: [phase],
					message: 'needs a score phase beside it: nothing else may score',
				});
			}
		}
	});

/** What people write. */
export type EvaluationFileInput = z.input<typeof evaluationFileSchema>;
/** What code uses: every default filled in. */
export type EvaluationFile = z.output<typeof evaluationFileSchema>;
