import { isAbsolute, join } from 'node:path';
import { evolve } from '@kapso-evolve/engine';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { evolveDocument } from '../documents/evolve-document.ts';
import type { EvolveFlags } from '../evolve-flags.ts';
import { defined, planEvolve, usage } from '../evolve-plan.ts';
import { readIterationEvaluator } from '../iteration-evaluator.ts';
import { readKey } from '../read-key.ts';
import { readTextFile } from '../read-text-file.ts';
import { runCampaign } from '../run-campaign.ts';
import type { Session } from '../session.ts';
import { solutionText } from '../solution-text.ts';

export async function evolveAction(session: Session, flags: EvolveFlags): Promise<number> {
	const { workingFolder } = session.terminal;
	const configuration = await readConfiguration({ file: flags.config, mode: flags.mode, workingFolder });
	for (const warning of configuration.warnings) session.note(`warning ${warning}\n`);
	const plan = planEvolve(flags, configuration, await readGoal(flags, workingFolder));
	const iterationEvaluator = await readIterationEvaluator(session, flags);
	const signingKey = await readKey(session, flags.signingKey, 'signing key');
	return runCampaign(session, {
		iterations: plan.maxIterations ?? null,
		run: (surroundings) => evolve({ ...plan, ...surroundings, ...defined({ iterationEvaluator, signingKey }) }),
		print: (solution) =>
			session.print(evolveDocument(solution), () =>
				solutionText(solution, { style: session.style, workingFolder: session.terminal.workingFolder }),
			),
	});
}

const maxGoalBytes = 1024 * 1024;

/** The goal in words; of a file, without the white space around it. */
async function readGoal(flags: EvolveFlags, workingFolder: string): Promise<string> {
	const { goal, goalFile } = flags;
	if (goal === undefined && goalFile === undefined)
		throw usage('GOAL_MISSING', 'a campaign needs a goal', 'add --goal TEXT or --goal-file FILE');
	if (goalFile === undefined) {
		if (goal!.trim() === '') throw usage('GOAL_MISSING', '--goal is empty', 'say what the campaign is to achieve');
		return goal!;
	}
	const path = isAbsolute(goalFile) ? goalFile : join(workingFolder, goalFile);
	const text = (await readTextFile({ path, what: 'goal file', maxBytes: maxGoalBytes })).trim();
	if (text === '') throw usage('GOAL_MISSING', `the goal file ${goalFile} is empty`, 'write the goal into it');
	return text;
}
