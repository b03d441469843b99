import { z } from 'zod';
import {
	commitIdSchema,
	evaluationLevelSchema,
	evaluationProvenanceSchema,
	finiteSchema,
	isolationSchema,
	outcomeSchema,
	scoreSourceSchema,
	sha256Schema,
} from './vocabulary.ts';

/**
 * One candidate, as the search graph, the history and the checkpoint know it. Names are those of the roadmap and of
 * documents 000 and 003, camelCase here and snake_case on disk. Fields with a default were added later than schema 1
 * or are empty in older histories.
 */
export const searchNodeSchema = z.strictObject({
	nodeId: z.int().min(0),
	/** Null: the parent is `main`. */
	parentNodeId: z.int().min(0).nullable(),
	attempt: z.int().min(1).default(1),
	/** One-based campaign iteration, counted over resumes. */
	iteration: z.int().min(1),
	branchName: z.string().min(1),
	parentBranchName: z.string().min(1),
	/** Null: the attempt ended without a commit of its own. */
	commit: commitIdSchema.nullable(),
	codeCommit: commitIdSchema.nullable().default(null),
	parentCommit: commitIdSchema,
	/** SHA-256 over path, mode, type and bytes of everything in the commit. */
	treeSha256: sha256Schema.nullable().default(null),
	agent: z.string().default(''),
	/** The idea, when an ideation step made one; else the agent's summary. */
	solution: z.string().default(''),
	outcome: outcomeSchema,
	/** Upper snake case reason of an outcome other than `scored`, e.g. `OUTPUT_KIND`. */
	code: z.string().nullable().default(null),
	errorMessage: z.string().nullable().default(null),
	score: finiteSchema.nullable(),
	scoreSource: scoreSourceSchema.nullable().default(null),
	/** What the agent said; never used where the engine scored. */
	reportedScore: finiteSchema.nullable().default(null),
	caseScores: z.array(finiteSchema).nullable().default(null),
	/** Metrics of the suite itself. */
	evaluationMetrics: z.record(z.string(), finiteSchema).default({}),
	feedback: z.string().default(''),
	shouldStop: z.boolean().default(false),
	evaluationValid: z.boolean().default(true),
	evaluationProvenance: evaluationProvenanceSchema.default('agent_generated'),
	evaluationIntegrityError: z.string().nullable().default(null),
	evaluationLevel: evaluationLevelSchema.default('agent-reported'),
	isolation: isolationSchema.default('none'),
	candidateIsolated: z.boolean().default(false),
	/** Paths of the suite folder that were listed and not run. */
	stripped: z.array(z.string()).default([]),
	notProven: z.array(z.string()).default([]),
	/** `unreproduced` leaves every selection (CONTRACTS 2). */
	confirmation: z.enum(['none', 'confirmed', 'unreproduced']).default('none'),
	/** External values of milestone 4: never in anything an agent reads. */
	metrics: z.record(z.string(), finiteSchema).default({}),
	primaryMetric: z.string().nullable().default(null),
	externalEvaluationMetadata: z.record(z.string(), z.json()).default({}),
	externalEvaluationError: z.string().nullable().default(null),
	/** Null: not known, which is not zero. */
	costUsd: z.number().min(0).nullable().default(null),
	durationMs: z.number().min(0).default(0),
	startedAt: z.string().default(''),
	sessionId: z.string().nullable().default(null),
	model: z.string().nullable().default(null),
	/** SHA-256 of records by name: `transcript`, `diff`, `evaluation`, `result`, `ignored`. */
	records: z.record(z.string(), sha256Schema).default({}),
});
export type SearchNode = z.output<typeof searchNodeSchema>;
export type SearchNodeInput = z.input<typeof searchNodeSchema>;
