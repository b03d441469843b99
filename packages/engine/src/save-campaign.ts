import { join } from 'node:path';
import { type Fingerprint, type RunState, saveHistory } from '@kapso-evolve/checkpoint';
import { type Objective, sha256, stateFolder } from '@kapso-evolve/contracts';
import { createGenericSearch } from '@kapso-evolve/search';
import { type Campaign, type LedgerPosition, objectiveOf } from './campaign.ts';
import type { Launch } from './launch.ts';
import { type CampaignState, completedIterations, totalCost } from './state.ts';
import { engineVersion } from './version.ts';

/** Writes what the ledger already proves into the files that people and resume read: state first, then history. */
export async function saveCampaign(campaign: Campaign): Promise<void> {
	const folder = join(campaign.folder, stateFolder);
	const state = campaign.state();
	await campaign.saveState(
		runStateOf({ ...campaign, state, objective: objectiveOf(campaign), position: campaign.position() }),
	);
	await saveHistory(join(folder, 'experiment_history.json'), state.nodes);
}

/**
 * Whether to save after this many candidates: after each of the first sixty-four, then after every 2nd, 4th, 8th, … as
 * their number doubles. Both files are written whole, so their share of a candidate's cost stays what it was; until the
 * next save they are behind, never wrong: the ledger has every line, and a resume folds it.
 */
export function isSavePoint(candidates: number): boolean {
	const doublings = Math.floor(Math.log2(Math.max(candidates, 1) / 32));
	return candidates % 2 ** Math.max(0, doublings) === 0;
}

export function runStateOf(options: {
	readonly launch: Launch;
	readonly fingerprint: Fingerprint;
	readonly state: CampaignState;
	readonly objective: Objective;
	readonly position: LedgerPosition;
}): RunState {
	const { launch, fingerprint, state, objective } = options;
	const { goal, parentPolicy } = launch.settings;
	return {
		schemaVersion: 3,
		campaignId: launch.campaignId,
		strategyType: 'generic',
		goal,
		goalHash: sha256(goal),
		configFingerprint: fingerprint.digest,
		fingerprintParts: fingerprint.parts,
		status: state.completed ? 'completed' : 'running',
		completedIterations: completedIterations(state),
		cumulativeCost: totalCost(state),
		costUnknown: state.costUnknown,
		currentFeedback: state.nodes.at(-1)?.feedback ?? null,
		strategyState: createGenericSearch({ parentPolicy, objective, nodes: state.nodes }).dumpState(),
		elapsedSeconds: state.elapsedMs / 1000,
		costByComponent: { ...state.costByComponent },
		lastStop: state.lastStop,
		engineVersion,
		generation: options.position.seq,
		ledgerHead: options.position.sha256,
		baselineScore: state.baseline?.score ?? null,
	};
}
