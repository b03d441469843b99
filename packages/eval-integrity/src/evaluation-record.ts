import type { EvaluationLevel, Isolation } from '@kapso-evolve/contracts';

/** One phase as it ran, measured from outside. */
export interface PhaseRecord {
	readonly phase: 'build' | 'run' | 'score';
	/** As started, in the phase's own view of the file system. */
	readonly argv: readonly string[];
	/** The program's real path on this machine and the SHA-256 of its bytes. */
	readonly program: { readonly path: string; readonly sha256: string };
	readonly status: 'exited' | 'timed-out' | 'limit-exceeded';
	readonly exitCode: number | null;
	readonly wallMs: number;
	/** Null: not measured here. */
	readonly cpuMs: number | null;
	readonly peakMemoryBytes: number | null;
	/** The last 8 KiB. */
	readonly stdout: string;
	readonly stderr: string;
}

/** What an evaluation found. A failure is never a number: `score` is set exactly when the outcome is `scored`. */
export interface EvaluationRecord {
	readonly outcome: 'scored' | 'invalid' | 'crashed' | 'timed-out' | 'infrastructure';
	/** Upper snake case reason of another outcome than `scored`. */
	readonly code: string | null;
	readonly error: string | null;
	/** The mean over the repeats. */
	readonly score: number | null;
	/** Means over the repeats, of the names that every repeat gave. */
	readonly metrics: Readonly<Record<string, number>>;
	/** Means per case, when every repeat gave as many. */
	readonly caseScores: readonly number[] | null;
	readonly cases: number | null;
	/** The scorer's text of the last repeat, or what was wrong. */
	readonly feedback: string;
	readonly level: EvaluationLevel;
	readonly isolation: Isolation;
	/** True only where no candidate code could run in the scorer's process or namespace. */
	readonly candidateIsolated: boolean;
	readonly stripped: readonly string[];
	readonly notProven: readonly string[];
	/** One a repeat. */
	readonly scores: readonly number[];
	readonly phases: readonly PhaseRecord[];
	readonly suiteDigest: string;
	readonly dataDigest: string | null;
	readonly durationMs: number;
}

/** Why an evaluation gave no score. */
export interface Ending {
	readonly outcome: Exclude<EvaluationRecord['outcome'], 'scored'>;
	readonly code: string;
	readonly error: string;
}

export function isEnding(value: object | null): value is Ending {
	return value !== null && 'outcome' in value && 'code' in value;
}
