import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { evaluateFolder, evolve, type SolutionResult, sealedIterationEvaluator } from '@kapso-evolve/engine';
import { type BundledProblem, findBundledProblem } from '../bundled-problem.ts';
import type { DemoDocument, HiddenScore } from '../documents/demo-document.ts';
import { evolveDocument } from '../documents/evolve-document.ts';
import { formatTable } from '../format.ts';
import { runCampaign } from '../run-campaign.ts';
import type { Session } from '../session.ts';
import { scoreLine, solutionText } from '../solution-text.ts';
import type { Style } from '../style.ts';

export interface DemoFlags {
	readonly output?: string | undefined;
	readonly iterations?: number | undefined;
	readonly seed?: number | undefined;
}

/** What fits into the time of a demo on two cores; the time budget stops whatever does not. */
const defaults = { iterations: 4, trialBudget: 12, seconds: 50, reserveSeconds: 6 };

/** A real campaign: same engine, same checks, same evidence; only the problem is bundled and the agent embedded. */
export async function demoAction(session: Session, flags: DemoFlags): Promise<number> {
	const problem = await findBundledProblem();
	const outputPath = flags.output ?? (await freeFolder(session.terminal.workingFolder));
	const iterations = flags.iterations ?? defaults.iterations;
	return runCampaign(session, {
		iterations,
		run: (surroundings) =>
			evolve({
				...surroundings,
				goal: 'Make solve.js find shorter tours with the same number of moves.',
				outputPath,
				agent: 'gi',
				initialRepo: problem.repository,
				evalDir: problem.evaluation,
				iterationEvaluator: sealedIterationEvaluator({
					suite: problem.hidden,
					environment: session.terminal.environment,
				}),
				maxIterations: iterations,
				trialBudget: defaults.trialBudget,
				timeBudgetMinutes: defaults.seconds / 60,
				finalizationReserveMinutes: defaults.reserveSeconds / 60,
				...(flags.seed === undefined ? {} : { seed: flags.seed }),
			}),
		async print(solution) {
			const hidden = await hiddenScore(session, problem, solution);
			const document: DemoDocument = { ...evolveDocument(solution), hidden_score: hidden };
			session.print(document, () => demoText(solution, hidden, session.style));
		},
	});
}

/** The hidden set on `main` and on the winner: measured, shown, and told to nobody who searches. */
async function hiddenScore(session: Session, problem: BundledProblem, solution: SolutionResult): Promise<HiddenScore> {
	const { externalMetrics, externalPrimaryMetric } = solution.metadata;
	const record = await evaluateFolder({
		folder: problem.repository,
		evalDir: problem.hidden,
		private: true,
		environment: session.terminal.environment,
	});
	return { baseline: record.score, best: externalMetrics[externalPrimaryMetric ?? ''] ?? null };
}

function demoText(solution: SolutionResult, hidden: HiddenScore, style: Style): string {
	const rows = [
		[
			'guiding score',
			scoreLine(solution.baselineScore, solution.best?.score ?? null, style),
			'16 instances that the search saw',
		],
		['hidden score', scoreLine(hidden.baseline, hidden.best, style), '32 instances that guided nothing'],
	];
	const { externalMetrics: _, ...metadata } = solution.metadata;
	const rest = solutionText({ ...solution, metadata: { ...metadata, externalMetrics: {} } }, style);
	return `${formatTable(rows)}\n\n${rest}`;
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
