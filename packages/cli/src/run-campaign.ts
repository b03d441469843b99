import { KapsoError } from '@kapso-evolve/contracts';
import type { EvolveOptions, SolutionResult } from '@kapso-evolve/engine';
import { exitCodeOfSolution } from './campaign-exit.ts';
import { exitCodes } from './exit-codes.ts';
import { watchInterrupts } from './interrupts.ts';
import { followCampaign } from './progress/progress.ts';
import { errorText } from './report-error.ts';
import type { Session } from './session.ts';

/** What every call of the engine gets from this process. */
export type CampaignSurroundings = Required<
	Pick<EvolveOptions, 'onEvent' | 'signal' | 'logger' | 'environment' | 'workingFolder' | 'nodeProgram'>
>;

/**
 * One campaign with its progress, signals and exit code around it. `print` gets the result also when only its checkout
 * was refused: that result is complete.
 */
export async function runCampaign(
	session: Session,
	o: {
		readonly iterations: number | null;
		readonly run: (surroundings: CampaignSurroundings) => Promise<SolutionResult>;
		readonly print: (solution: SolutionResult) => void | Promise<void>;
	},
): Promise<number> {
	using interrupts = watchInterrupts(() =>
		session.note('stopping: finishing the current write and saving; once more leaves at once\n'),
	);
	const logger = await session.logger();
	const progress = followCampaign(session, o.iterations);
	let solution: SolutionResult;
	let refusal: KapsoError | null = null;
	try {
		solution = await o.run({
			onEvent: progress.onEvent,
			signal: interrupts.signal,
			logger,
			environment: session.terminal.environment,
			workingFolder: session.terminal.workingFolder,
			nodeProgram: process.execPath,
		});
	} catch (error) {
		if (!isDeliveryError(error)) throw interrupts.explain(error);
		solution = error.solution;
		refusal = error;
	} finally {
		progress[Symbol.dispose]();
	}
	await o.print(solution);
	if (refusal === null) return exitCodeOfSolution(solution, interrupts.exitCode());
	session.note(errorText(refusal, session.errorStyle));
	return exitCodes.verdict;
}

function isDeliveryError(error: unknown): error is KapsoError & { readonly solution: SolutionResult } {
	return KapsoError.isInstance(error) && error.code === 'DELIVERY_REFUSED' && 'solution' in error;
}
