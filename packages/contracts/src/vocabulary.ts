import { z } from 'zod';

/** Under which isolation a score was made, strongest first (CONTRACTS 2). */
export const evaluationLevelSchema = z.enum(['sealed', 'suite-sealed', 'unsealed', 'published-rule', 'agent-reported']);
export type EvaluationLevel = z.infer<typeof evaluationLevelSchema>;

/** How a candidate's attempt ended (CONTRACTS 2). A failure is never a number. */
export const outcomeSchema = z.enum([
	'scored',
	'invalid',
	'crashed',
	'timed-out',
	'no-change',
	'no-report',
	'agent-failed',
	'infrastructure',
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** Who made the number: the engine's own run, the agent's report, or a judge. */
export const scoreSourceSchema = z.enum(['engine', 'agent', 'judge']);
export type ScoreSource = z.infer<typeof scoreSourceSchema>;

/** Document 000: `provided` suites are protected, `agent_generated` ones belong to the agent. */
export const evaluationProvenanceSchema = z.enum(['provided', 'agent_generated']);
export type EvaluationProvenance = z.infer<typeof evaluationProvenanceSchema>;

/** `os`: namespaces of the operating system; `none`: the machine offers nothing. */
export const isolationSchema = z.enum(['os', 'none']);
export type Isolation = z.infer<typeof isolationSchema>;

export const objectiveSchema = z.enum(['maximize', 'minimize']);
export type Objective = z.infer<typeof objectiveSchema>;

/** Milestone 9; the historical default is `best`. */
export const parentPolicySchema = z.enum(['best', 'baseline']);
export type ParentPolicy = z.infer<typeof parentPolicySchema>;

/** Milestone 4: what a failing caller's evaluator does to the campaign. */
export const failurePolicySchema = z.enum(['record', 'raise']);
export type FailurePolicy = z.infer<typeof failurePolicySchema>;

export const stoppedReasonSchema = z.enum([
	'goal_achieved',
	'max_iterations',
	'budget_exhausted',
	'stalled',
	'infrastructure',
	'interrupted',
]);
export type StoppedReason = z.infer<typeof stoppedReasonSchema>;

/** 40 (SHA-1) or 64 (SHA-256) lower-case hexadecimal digits. */
export const commitIdSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full commit id');
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits');
export const finiteSchema = z.number().refine(Number.isFinite, 'must be finite and numeric');

/** Names inside a candidate's repository that the engine owns (documents 000, roadmap). */
export const suiteFolder = 'kapso_evaluation';
export const dataFolder = 'kapso_datasets';
export const stateFolder = '.kapso';
