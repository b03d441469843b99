import { join } from 'node:path';
import { type Fingerprint, type RunState, saveHistory, saveRunState } from '@kapso-evolve/checkpoint';
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
	await saveRunState(
		join(folder, 'run_state.json'),
		runStateOf({ ...campaign, state, objective: objectiveOf(campaign), position: campaign.position() }),
	);
	await saveHistory(join(folder, 'experiment_history.json'), state.nodes);
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
