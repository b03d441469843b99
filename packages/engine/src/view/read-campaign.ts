import { join } from 'node:path';
import { readLedger } from '@kapso-evolve/checkpoint';
import { type LedgerLine, stateFolder } from '@kapso-evolve/contracts';
import { inspectSuite, type Suite } from '@kapso-evolve/eval-integrity';
import { findPythonState } from '../adopt/find-legacy.ts';
import { type Launch, loadLaunch } from '../launch.ts';
import { readLiveHolder } from '../live-holder.ts';
import { bestOf } from '../ranking.ts';
import { bestCandidateOf, countCandidates, invalidEvaluations, isImprovement } from '../solution-of.ts';
import { type CampaignState, completedIterations, foldLedger, totalCost } from '../state.ts';
import type { CampaignView } from './campaign-view.ts';
import { viewOfLegacy } from './legacy-view.ts';

/** A campaign's files, read and folded; shared by every command that only looks. */
export interface ReadCampaign {
	readonly launch: Launch;
	readonly lines: readonly LedgerLine[];
	readonly head: string;
	readonly tornBytes: number;
	readonly state: CampaignState;
	readonly suite: Suite | null;
}

export async function openForReading(folder: string): Promise<ReadCampaign> {
	const launch = await loadLaunch(folder);
	const state = join(folder, stateFolder);
	const { lines, head, tornBytes } = await readLedger({
		path: join(state, 'ledger.jsonl'),
		campaignId: launch.campaignId,
	});
	const { evalDir, privateEvalDir, evaluation } = launch.settings;
	const suite =
		evalDir === null && privateEvalDir === null
			? null
			: await inspectSuite({
					from: join(state, 'suite'),
					evaluation,
					visibility: privateEvalDir === null ? 'visible' : 'private',
				});
	return { launch, lines, head, tornBytes, state: foldLedger(lines), suite };
}

/** What the files say, without the lock: beside a run, after a crash, on another machine. */
export async function readCampaign(folder: string): Promise<CampaignView> {
	const legacy = await findPythonState(folder);
	if (legacy !== null) return await viewOfLegacy(folder, legacy);
	const { launch, head, state, suite } = await openForReading(folder);
	const objective = suite?.evaluation?.objective ?? 'maximize';
	const best = bestOf({ settings: launch.settings, objective, nodes: state.nodes });
	return {
		output: folder,
		legacySchema: null,
		goal: launch.settings.goal,
		objective,
		status: state.completed ? 'completed' : 'running',
		lock: await readLiveHolder(join(folder, stateFolder)),
		lastStop: state.lastStop,
		evaluationLevel: launch.evaluationLevel,
		isolation: launch.isolation,
		cumulativeIterations: completedIterations(state),
		baselineScore: state.baseline?.score ?? null,
		improved: isImprovement({ best, baseline: state.baseline, objective, noise: suite?.evaluation?.noise ?? 0 }),
		best: best === null ? null : bestCandidateOf(best),
		candidates: countCandidates(state.nodes),
		invalidEvaluations: invalidEvaluations(state.nodes),
		costUsd: totalCost(state),
		costUnknown: state.costUnknown,
		elapsedSeconds: state.elapsedMs / 1000,
		ledgerHead: head,
		nodes: state.nodes,
	};
}
