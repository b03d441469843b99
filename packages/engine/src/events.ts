import type { EvaluationLevel, Isolation, Outcome, SearchNode, StoppedReason } from '@kapso-evolve/contracts';

/** What observers are told. Events are frozen and go out only; nothing that an observer does comes back in. */
export type CampaignEvent =
	| {
			readonly type: 'opened';
			readonly output: string;
			readonly resumed: boolean;
			readonly level: EvaluationLevel;
			readonly isolation: Isolation;
			/** Why this level and no stronger one. */
			readonly reason: string;
	  }
	| { readonly type: 'warning'; readonly code: string; readonly message: string }
	| {
			readonly type: 'baseline';
			readonly score: number | null;
			readonly outcome: Outcome | 'none';
			readonly error?: string | null;
	  }
	| {
			readonly type: 'iteration';
			readonly iteration: number;
			readonly nodeId: number;
			readonly attempt: number;
			readonly parentBranch: string;
	  }
	| { readonly type: 'phase'; readonly nodeId: number; readonly phase: Phase }
	/** One line of what the agent is doing. */
	| { readonly type: 'activity'; readonly nodeId: number; readonly text: string }
	| {
			readonly type: 'trial';
			readonly nodeId: number;
			readonly outcome: Outcome;
			readonly score: number | null;
			readonly remaining: number;
	  }
	| {
			readonly type: 'recorded';
			readonly node: Readonly<SearchNode>;
			readonly best: BestSoFar | null;
			readonly costUsd: number;
			readonly elapsedSeconds: number;
	  }
	| { readonly type: 'confirming'; readonly nodeId: number }
	| { readonly type: 'stopped'; readonly reason: StoppedReason; readonly detail: string | null };

export type Phase = 'agent' | 'finalise' | 'verify' | 'evaluate' | 'external' | 'record';

export interface BestSoFar {
	readonly nodeId: number;
	readonly score: number | null;
	readonly branch: string;
}
