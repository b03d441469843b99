import type { SearchNode } from '@kapso-evolve/contracts';

/** What the caller's evaluator is told about one finalised candidate (document 003). Deeply frozen. */
export interface IterationEvaluationContext {
	/** One-based campaign iteration, counted over resumes. */
	readonly iteration: number;
	readonly goal: string;
	/** A detached working tree of exactly `commit`, there only while the evaluator runs. */
	readonly workspaceDir: string;
	/** The candidate's branch, and the branch it was made from. */
	readonly gitRef: string;
	readonly parentRef: string;
	readonly commit: string;
	readonly parentCommit: string;
	/** A snapshot: nothing done to it reaches the search. */
	readonly node: Readonly<SearchNode>;
	/** The same for a candidate that is measured again after a crash, so that a repeated call can be recognised. */
	readonly idempotencyKey: string;
	/** Aborted at the deadline, when the campaign is interrupted, and when the call is over. */
	readonly signal: AbortSignal;
}

export interface IterationEvaluationResult {
	/** Finite numbers by non-empty name. */
	readonly metrics: Readonly<Record<string, number>>;
	/** One of the names. It describes the report; it selects nothing. */
	readonly primaryMetric?: string | null | undefined;
	/** JSON with string keys. */
	readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

type Evaluate = (context: IterationEvaluationContext) => IterationEvaluationResult | Promise<IterationEvaluationResult>;

/** A function with a name (or an `id`), or an object that names itself. */
export type IterationEvaluator =
	| (Evaluate & { readonly id?: string })
	| {
			readonly id: string;
			readonly evaluate: Evaluate;
			/** Asked once, before a campaign spends anything: rejects when `evaluate` could never work. */
			readonly check?: () => Promise<void>;
	  };

/** What stands in the node afterwards: metrics, or an error and none. */
export interface ExternalEvaluation {
	readonly metrics: Readonly<Record<string, number>>;
	readonly primaryMetric: string | null;
	readonly metadata: Readonly<Record<string, JsonValue>>;
	/** `Type: message` of what went wrong. */
	readonly error: string | null;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
