import type { Defence } from './defences.ts';
import { type EvaluateOptions, evaluateWith } from './evaluate.ts';
import type { EvaluationRecord } from './evaluation-record.ts';
import type { Verdict } from './verdict.ts';
import { judgeCandidate, type VerifyCandidateOptions } from './verify-candidate.ts';

export { type Defence, defenceNames } from './defences.ts';

/** `verifyCandidate` with one defence left out: only for showing that the defence matters. */
export function verifyWithout(without: Defence, options: VerifyCandidateOptions): Promise<Verdict> {
	return judgeCandidate(options, (defence) => defence !== without);
}

/** `evaluate` with one defence left out: only for showing that the defence matters. Never run foreign code with it. */
export function evaluateWithout(without: Defence, options: EvaluateOptions): Promise<EvaluationRecord> {
	return evaluateWith(options, (defence) => defence !== without);
}
