import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeThrown } from '@kapso-evolve/contracts';
import { evaluateFolder, evolve, type SolutionResult, sealedIterationEvaluator } from '@kapso-evolve/engine';
import { type BundledProblem, findBundledProblem } from '../bundled-problem.ts';
import { stopBeforeTimeIsUp } from '../demo-time.ts';
import type { DemoDocument, HiddenScore } from '../documents/demo-document.ts';
import { evolveDocument } from '../documents/evolve-document.ts';
import { formatTable } from '../format.ts';
import { type CampaignSurroundings, runCampaign } from '../run-campaign.ts';
import type { Session } from '../session.ts';
import { scoreLine, solutionText } from '../solution-text.ts';

export interface DemoFlags {
	readonly output?: string | undefined;
	readonly iterations?: number | undefined;
	readonly seed?: number | undefined;
}

/** What fits into a demo on two cores; a slower machine makes fewer candidates, and the time budget is the hard end. */
const defaults = { iterations: 3, trialBudget: 8, seconds: 50, reserveSeconds: 5 };

/** A real campaign: same engine, same checks, same evidence; only the problem is bundled and the agent embedded. */
export async function demoAction(session: Session, flags: DemoFlags): Promise<number> {
	const problem = await findBundledProblem();
	const outputPath = flags.output ?? (await freeFolder(session.terminal.workingFolder));
	const iterations = flags.iterations ?? defaults.iterations;
	let hiddenBaseline: Promise<number | null> = Promise.resolve(null);
	return runCampaign(session, {
		iterations,
		run(surroundings) {
			hiddenBaseline = scoreHidden(problem, surroundings);
			return evolve({
				...surroundings,
				goal: 'Make solve.js find shorter tours with the same number of moves.',
				outputPath,
				agent: 'gi',
				initialRepo: problem.repository,
				evalDir: problem.evaluation,
				iterationEvaluator: sealedIterationEvaluator({
					suite: problem.hidden,
					environment: surroundings.environment,
				}),
				maxIterations: iterations,
				stopWhen: [stopBeforeTimeIsUp(defaults.seconds - defaults.reserveSeconds)],
				trialBudget: defaults.trialBudget,
				timeBudgetMinutes: defaults.seconds / 60,
				finalizationReserveMinutes: defaults.reserveSeconds / 60,
				...(flags.seed === undefined ? {} : { seed: flags.seed }),
			});
		},
		async print(solution) {
			const { externalMetrics, externalPrimaryMetric } = solution.metadata;
			const hidden: HiddenScore = {
				baseline: await hiddenBaseline,
				best: externalMetrics[externalPrimaryMetric ?? ''] ?? null,
			};
			const document: DemoDocument = { ...evolveDocument(solution), hidden_score: hidden };
			session.print(document, () => demoText(session, solution, hidden));
		},
	});
}

/** The hidden set on where everybody starts, beside the campaign: shown at the end, told to nobody who searches. */
async function scoreHidden(problem: BundledProblem, surroundings: CampaignSurroundings): Promise<number | null> {
	try {
		const record = await evaluateFolder({
			folder: problem.repository,
			evalDir: problem.hidden,
			private: true,
			environment: surroundings.environment,
			signal: surroundings.signal,
		});
		return record.score;
	} catch (error) {
		surroundings.logger.warn({ error: describeThrown(error) }, 'the hidden set could not be scored on the baseline');
		return null;
	}
}

function demoText(session: Session, solution: SolutionResult, hidden: HiddenScore): string {
	const { style } = session;
	const { workingFolder } = session.terminal;
	const rows = [
		[
			'guiding score',
			scoreLine(solution.baselineScore, solution.best?.score ?? null, style),
			'16 instances that the search saw',
		],
		['hidden score', scoreLine(hidden.baseline, hidden.best, style), '32 instances that guided nothing'],
	];
	return `${formatTable(rows)}\n\n${solutionText(solution, { style, workingFolder, scores: false })}`;
}

/** `kapso-demo` in the current folder, or the first of `kapso-demo-2`, `-3`, … that is not there. */
async function freeFolder(workingFolder: string): Promise<string> {
	for (let number = 1; ; number++) {
		const folder = resolve(join(workingFolder, number === 1 ? 'kapso-demo' : `kapso-demo-${number}`));
		const isTaken = await access(folder).then(
			() => true,
			() => false,
		);
		if (!isTaken) return folder;
	}
}
