import {
	evaluationLevelSchema,
	finiteSchema,
	isolationSchema,
	outcomeSchema,
	sha256Schema,
} from '@kapso-evolve/contracts';
import type { EvaluationRecord } from '@kapso-evolve/eval-integrity';
import { z } from 'zod';
import { schemaVersion } from './common.ts';

/** `evaluate --json`: the outcome record of one evaluation, with what every phase did. */
export const evaluateDocumentSchema = z.strictObject({
	schema_version: schemaVersion,
	outcome: outcomeSchema,
	code: z.string().nullable(),
	error: z.string().nullable(),
	score: finiteSchema.nullable(),
	metrics: z.record(z.string(), finiteSchema),
	case_scores: z.array(finiteSchema).nullable(),
	cases: z.int().min(0).nullable(),
	feedback: z.string(),
	level: evaluationLevelSchema,
	isolation: isolationSchema,
	candidate_isolated: z.boolean(),
	stripped: z.array(z.string()),
	not_proven: z.array(z.string()),
	/** One a repeat; `score` is their mean. */
	scores: z.array(finiteSchema),
	phases: z.array(
		z.strictObject({
			phase: z.enum(['build', 'run', 'score']),
			argv: z.array(z.string()),
			program: z.strictObject({ path: z.string(), sha256: z.string() }),
			status: z.string(),
			exit_code: z.int().nullable(),
			wall_ms: z.number(),
			cpu_ms: z.number().nullable(),
			peak_memory_bytes: z.number().nullable(),
			stdout: z.string(),
			stderr: z.string(),
		}),
	),
	suite_digest: sha256Schema,
	data_digest: sha256Schema.nullable(),
	duration_ms: z.number().min(0),
});
export type EvaluateDocument = z.output<typeof evaluateDocumentSchema>;

export function evaluateDocument(record: EvaluationRecord): EvaluateDocument {
	return {
		schema_version: 1,
		outcome: record.outcome,
		code: record.code,
		error: record.error,
		score: record.score,
		metrics: { ...record.metrics },
		case_scores: record.caseScores === null ? null : [...record.caseScores],
		cases: record.cases,
		feedback: record.feedback,
		level: record.level,
		isolation: record.isolation,
		candidate_isolated: record.candidateIsolated,
		stripped: [...record.stripped],
		not_proven: [...record.notProven],
		scores: [...record.scores],
		phases: record.phases.map((phase) => ({
			phase: phase.phase,
			argv: [...phase.argv],
			program: { path: phase.program.path, sha256: phase.program.sha256 },
			status: phase.status,
			exit_code: phase.exitCode,
			wall_ms: phase.wallMs,
			cpu_ms: phase.cpuMs,
			peak_memory_bytes: phase.peakMemoryBytes,
			stdout: phase.stdout,
			stderr: phase.stderr,
		})),
		suite_digest: record.suiteDigest,
		data_digest: record.dataDigest,
		duration_ms: record.durationMs,
	};
}
