import { join } from 'node:path';
import type { LegacyCampaign } from '@kapso-evolve/checkpoint';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import { createGenericSearch } from '@kapso-evolve/search';
import { openRepositoryReader } from '@kapso-evolve/workspace-git';
import { nodesOfLegacy } from '../adopt/legacy-nodes.ts';
import { readLiveHolder } from '../live-holder.ts';
import { bestCandidateOf, countCandidates, invalidEvaluations } from '../solution-of.ts';
import type { CampaignView } from './campaign-view.ts';

/** What a Python release's `run_state.json` says, in our words. It has no ledger, so nothing of it is proven. */
export async function viewOfLegacy(folder: string, legacy: LegacyCampaign): Promise<CampaignView> {
	const branches = await branchesOf(folder);
	const nodes = nodesOfLegacy(legacy, { branches, mainCommit: branches.get('main') ?? null, hasSuite: false });
	const best = createGenericSearch({ parentPolicy: 'best', objective: 'maximize', nodes }).best();
	const costs = Object.values(legacy.costByComponent ?? {});
	return {
		output: folder,
		legacySchema: legacy.schemaVersion,
		goal: legacy.goal ?? '',
		objective: 'maximize',
		status: legacy.status,
		lock: await readLiveHolder(join(folder, stateFolder)),
		lastStop: legacy.lastStop,
		evaluationLevel: 'agent-reported',
		isolation: 'none',
		cumulativeIterations: legacy.completedIterations,
		baselineScore: null,
		improved: false,
		best: best === null ? null : bestCandidateOf(best),
		candidates: countCandidates(nodes),
		invalidEvaluations: invalidEvaluations(nodes),
		costUsd: costs.reduce((sum, usd) => sum + usd, 0),
		costUnknown: legacy.costByComponent === null,
		elapsedSeconds: legacy.elapsedSeconds,
		ledgerHead: null,
		nodes,
	};
}

/** A state can be looked at where its repository is not: then no candidate has a commit. */
async function branchesOf(folder: string): Promise<ReadonlyMap<string, string>> {
	const repository = await openRepositoryReader({ path: folder, programs: '/usr/local/bin:/usr/bin:/bin' });
	try {
		return await repository.branches();
	} catch (error) {
		if (!KapsoError.isInstance(error)) throw error;
		return new Map();
	} finally {
		await repository.close();
	}
}
