import { resolve } from 'node:path';
import { resumeCampaign } from '@kapso-evolve/engine';
import { evolveDocument } from '../documents/evolve-document.ts';
import { defined } from '../evolve-plan.ts';
import { readKey } from '../read-key.ts';
import { runCampaign } from '../run-campaign.ts';
import type { Session } from '../session.ts';
import { solutionText } from '../solution-text.ts';

export interface ResumeFlags {
	readonly iterations?: number | undefined;
	readonly timeBudgetMinutes?: number | undefined;
	readonly costBudget?: number | undefined;
	readonly finalizationReserveMinutes?: number | undefined;
	readonly signingKey?: string | undefined;
}

export async function resumeAction(session: Session, folder: string, flags: ResumeFlags): Promise<number> {
	const budgets = defined({
		maxIterations: flags.iterations,
		timeBudgetMinutes: flags.timeBudgetMinutes,
		costBudget: flags.costBudget,
		finalizationReserveMinutes: flags.finalizationReserveMinutes,
		signingKey: await readKey(session, flags.signingKey, 'signing key'),
	});
	return runCampaign(session, {
		iterations: flags.iterations ?? null,
		run: (surroundings) =>
			resumeCampaign(resolve(session.terminal.workingFolder, folder), { ...budgets, ...surroundings }),
		print: (solution) =>
			session.print(evolveDocument(solution), () =>
				solutionText(solution, { style: session.style, workingFolder: session.terminal.workingFolder }),
			),
	});
}
