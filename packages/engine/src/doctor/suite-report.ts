import type { EvaluationLevel, Isolation, Outcome } from '@kapso-evolve/contracts';

/** `blocking`: the suite can be won without solving it, or cannot score; `warning`: it will cost money or trust. */
export type Severity = 'blocking' | 'warning' | 'note';

export interface Finding {
	readonly code: string;
	readonly severity: Severity;
	/** What was seen. */
	readonly what: string;
	/** What to change. */
	readonly advice: string;
}

/** One candidate of the trial and what the suite made of it. */
export interface SuiteTrial {
	readonly name: string;
	readonly outcome: Outcome;
	readonly code: string | null;
	readonly score: number | null;
	/** What a sound suite does with it. */
	readonly expected: 'baseline' | 'no score' | 'no score as good as the baseline';
	readonly passed: boolean;
}

export interface SuiteReport {
	/** A sealed and clean, B with warnings, C the scorer loads the candidate, D nothing is isolated, F do not run it. */
	readonly grade: 'A' | 'B' | 'C' | 'D' | 'F';
	readonly level: EvaluationLevel;
	readonly isolation: Isolation;
	readonly baselineScore: number | null;
	/** Largest difference between two scores of the unchanged candidate; null when it was not scored twice. */
	readonly noiseFloor: number | null;
	readonly pairs: number;
	/** Chance that one more pair differs by more than the noise floor: 1 / (pairs + 1), by rank alone. */
	readonly falsePromotionRate: number;
	readonly trials: readonly SuiteTrial[];
	readonly findings: readonly Finding[];
}

export function gradeOf(level: EvaluationLevel, findings: readonly Finding[]): SuiteReport['grade'] {
	if (findings.some(({ severity }) => severity === 'blocking')) return 'F';
	if (level === 'suite-sealed') return 'C';
	if (level !== 'sealed') return 'D';
	return findings.some(({ severity }) => severity === 'warning') ? 'B' : 'A';
}
