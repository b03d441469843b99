import type { CodingAgent } from '@kapso-evolve/coding-agents';
import type {
	Clock,
	EvaluationFileInput,
	FailurePolicy,
	Ids,
	Logger,
	Objective,
	ParentPolicy,
} from '@kapso-evolve/contracts';
import type { IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import type { CampaignEvent } from './events.ts';
import type { StopPredicate } from './steps/should-stop.ts';

/** An agent by name (`gi`; `command` needs `agentCommand`), or one of the caller's own. */
export type AgentChoice = string | CodingAgent;

/**
 * What `evolve()` is asked to do: the roadmap's options in camelCase. Paths may be relative to `workingFolder`.
 * Nothing here is read from `process.env` or `process.cwd()`; a program passes both in.
 */
export interface EvolveOptions {
	/** What the campaign is to achieve, in words; part of the fingerprint. */
	readonly goal: string;
	/** The campaign folder. New: it must be absent or empty. With `resume` it must be a campaign. */
	readonly outputPath: string;
	readonly agent: AgentChoice;
	/** argv of the `command` agent. */
	readonly agentCommand?: readonly string[];
	/** Git repository, plain folder, or anything `git clone` takes. Left as it is, byte for byte. */
	readonly initialRepo?: string;
	readonly includeUncommitted?: boolean;
	/** The caller's suite; candidates get a protected copy in `kapso_evaluation/`. */
	readonly evalDir?: string;
	/** A suite that never enters a clone. Excludes `evalDir`. */
	readonly privateEvalDir?: string;
	/** Data for the suite, protected in `kapso_datasets/`. */
	readonly dataDir?: string;
	/** The evaluation file's content for a suite that cannot carry the file. */
	readonly evaluation?: EvaluationFileInput;
	/** Milestone 9. Default `best`. */
	readonly parentPolicy?: ParentPolicy;
	/** Iterations of this call. Default 10. */
	readonly maxIterations?: number;
	/** Candidates of one iteration, made at the same time. Default 1. */
	readonly parallel?: number;
	/** Scoring runs at the same time; 1 keeps a timing-sensitive suite alone on the machine. Default 1. */
	readonly evaluationConcurrency?: number;
	/** Minutes of wall clock over the whole campaign, resumes included. */
	readonly timeBudgetMinutes?: number;
	/** Dollars over the whole campaign. Zero means zero. */
	readonly costBudget?: number;
	/** Minutes of the time budget kept for confirming and delivering the winner. */
	readonly finalizationReserveMinutes?: number;
	/** Deadline of one agent attempt. Default 60; never more than what is left of the time budget. */
	readonly agentDeadlineMinutes?: number;
	/** Ed25519 private key in PEM: signs every recorded candidate and every stop. It is written down nowhere. */
	readonly signingKey?: string;
	/** Names of variables that the agent gets from `environment` (its key, say). Values are written down nowhere. */
	readonly agentVariables?: readonly string[];
	/** How many times an agent may score its working tree in one attempt. Default 20. */
	readonly trialBudget?: number;
	/** Seed of everything random. Default 1. */
	readonly seed?: number;
	readonly resume?: boolean;
	/** With `resume`: import the `checkpoint.pkl` of a Python release, once. It is read, and nothing in it is executed. */
	readonly allowLegacyCheckpoint?: boolean;
	/** With `resume`: go on with a Python release's `run_state.json` under this call's settings, and record that. */
	readonly adopt?: boolean;
	/** Refuse to run at a weaker isolation than the operating system's. */
	readonly requireIsolation?: boolean;
	readonly iterationEvaluator?: IterationEvaluator;
	/** Default `record`. */
	readonly iterationEvaluatorFailurePolicy?: FailurePolicy;
	/** Selects by this external metric (a validation set's) instead of the score; a candidate without it has no rank. */
	readonly selectionMetric?: string;
	/** Needed with `selectionMetric`. */
	readonly selectionDirection?: Objective;
	/** External metrics that only observe: each call that returns one is counted. */
	readonly holdoutMetrics?: readonly string[];
	/** After so many looks at a holdout metric the evaluator is not called any more. Default: no limit. */
	readonly maxHoldoutLooks?: number;
	/** Deadline of one call of the iteration evaluator. Default 30. */
	readonly iterationEvaluatorDeadlineMinutes?: number;
	/** Name of a configuration mode; `undefined` is the default mode. */
	readonly mode?: string;
	/** Where clones and scratch folders live. Default `<environment.XDG_STATE_HOME>/kapso-evolve/…`. */
	readonly workDir?: string;
	/** Further reasons to stop after an iteration. */
	readonly stopWhen?: readonly StopPredicate[];
	/** Called with frozen events; what it throws is logged and changes nothing. */
	readonly onEvent?: (event: CampaignEvent) => void;
	/** An abort finishes the current write, saves and returns `interrupted`. */
	readonly signal?: AbortSignal;
	readonly logger?: Logger;
	readonly clock?: Clock;
	readonly ids?: Ids;
	/** The environment that PATH, HOME and the suite's declared `env` names are read from. Default: PATH alone. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
	/** Base of relative paths. Default: paths must be absolute. */
	readonly workingFolder?: string;
	/** The interpreter that a bare `node` in a suite means. Default: this process's own. */
	readonly nodeProgram?: string;
}

/** `resumeCampaign(dir, …)`: everything else is read back from `launch.json`. */
export interface ResumeOptions
	extends Pick<
		EvolveOptions,
		| 'timeBudgetMinutes'
		| 'costBudget'
		| 'finalizationReserveMinutes'
		| 'iterationEvaluator'
		| 'stopWhen'
		| 'onEvent'
		| 'signal'
		| 'logger'
		| 'clock'
		| 'ids'
		| 'environment'
		| 'workingFolder'
		| 'nodeProgram'
		| 'signingKey'
	> {
	/** An agent object for a campaign that was started with one; by name it comes from `launch.json`. */
	readonly agent?: CodingAgent;
	/** Default: what the interrupted slice still owes; where it owes nothing, the best candidate is only delivered. */
	readonly maxIterations?: number;
}
