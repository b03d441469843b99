import { describeThrown, KapsoError } from '@kapso-evolve/contracts';
import type { VerificationReport } from '../campaign-view.ts';

/** A claim that does not hold. */
export type Problem = VerificationReport['problems'][number];

export function problemOf(code: string, error: unknown, what = ''): Problem {
	const message = KapsoError.isInstance(error) ? error.message : describeThrown(error);
	return {
		code: KapsoError.isInstance(error) ? error.code : code,
		message: what === '' ? message : `${what}: ${message}`,
	};
}
