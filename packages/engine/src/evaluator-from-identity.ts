import type { IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import { sealedEvaluatorPrefix, sealedIterationEvaluator } from './sealed-iteration-evaluator.ts';
import type { Surroundings } from './settings.ts';

/** Rebuilds, for `resume DIR`, an evaluator whose identity says how; a closure can only be passed again. */
export async function evaluatorFromIdentity(
	identity: string | null,
	surroundings: Surroundings,
): Promise<IterationEvaluator | null> {
	if (identity?.startsWith(sealedEvaluatorPrefix)) {
		const suite = identity.slice(sealedEvaluatorPrefix.length);
		return sealedIterationEvaluator({
			suite,
			environment: surroundings.environment,
			nodeProgram: surroundings.nodeProgram,
		});
	}
	return null;
}
