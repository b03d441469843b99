import type { LockHolder } from '@kapso-evolve/checkpoint';
import type {
	EvaluationLevel,
	Isolation,
	LedgerLine,
	Objective,
	SearchNode,
	StoppedReason,
} from '@kapso-evolve/contracts';
import type { BestCandidate, CandidateCounts } from '../result.ts';

/** What the files of a campaign say, read without its lock: beside a run, after a crash, on another machine. */
export interface CampaignView {
	readonly output: string;
	/** `schema_version` of a Python release's state, which goes on with `adopt` only; null: a campaign of ours. */
	readonly legacySchema: 1 | 2 | null;
	readonly goal: string;
	readonly objective: Objective;
	readonly status: 'running' | 'completed';
	readonly lock: LockHolder | null;
	readonly lastStop: { readonly reason: StoppedReason; readonly detail: string | null } | null;
	readonly evaluationLevel: EvaluationLevel;
	readonly isolation: Isolation;
	readonly cumulativeIterations: number;
	readonly baselineScore: number | null;
	readonly improved: boolean;
	readonly best: BestCandidate | null;
	readonly candidates: CandidateCounts;
	readonly invalidEvaluations: readonly number[];
	readonly costUsd: number;
	readonly costUnknown: boolean;
	readonly elapsedSeconds: number;
	/** Null: another release wrote the campaign, and there is no ledger. */
	readonly ledgerHead: string | null;
	readonly nodes: readonly SearchNode[];
}

/** Everything about one candidate. */
export interface CandidateView {
	readonly node: SearchNode;
	readonly diff: string;
	readonly ledger: readonly LedgerLine[];
}

/** What `verify` proved of a campaign folder, offline. */
export interface VerificationReport {
	readonly ok: boolean;
	/** True when the caller's own head was given and is the ledger's. */
	readonly anchored: boolean;
	readonly lines: number;
	readonly candidates: number;
	readonly problems: readonly { readonly code: string; readonly message: string }[];
	readonly notProven: readonly string[];
}
