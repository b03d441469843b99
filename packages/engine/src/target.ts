import type { EvaluationFile, EvaluationLevel } from '@kapso-evolve/contracts';
import { isBetter } from '@kapso-evolve/search';
import { isEngineScored } from './campaign.ts';

/** The only rule that ends a campaign by its goal: a score that the engine measured and that is at least the target. */
export function isTargetReached(options: {
	readonly score: number | null;
	readonly level: EvaluationLevel;
	readonly evaluation: EvaluationFile | null;
}): boolean {
	const { score, level, evaluation } = options;
	const target = evaluation?.target_score;
	if (score === null || target === undefined || !isEngineScored(level)) return false;
	return !isBetter(target, score, evaluation?.objective ?? 'maximize');
}
