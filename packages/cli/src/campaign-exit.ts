import type { SolutionResult } from '@kapso-evolve/engine';
import { exitCodes } from './exit-codes.ts';

/** The exit code of a campaign that returned; `signalled` is 130 or 143 when a signal came. */
export function exitCodeOfSolution(solution: SolutionResult, signalled: number | null): number {
	if (solution.metadata.stoppedReason === 'interrupted') return signalled ?? exitCodes.interrupted;
	if (solution.metadata.stoppedReason === 'infrastructure') return exitCodes.infrastructure;
	const isScored = solution.best !== null && solution.best.score !== null;
	return isScored ? exitCodes.done : exitCodes.verdict;
}
