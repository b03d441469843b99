import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { saveRunState } from '@kapso-evolve/checkpoint';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import { ensureFolder, syncFolder } from '@kapso-evolve/durable-fs';
import type { Workspace } from '@kapso-evolve/workspace-git';
import { isEngineScored } from './campaign.ts';
import { commitInputs } from './commit-inputs.ts';
import type { EvaluationInputs } from './evaluation-inputs.ts';
import { fingerprintOf } from './fingerprint.ts';
import { launchOf, saveLaunch } from './launch.ts';
import { runStateOf } from './save-campaign.ts';
import { isHiddenFromEvaluation } from './score-commit.ts';
import type { LaunchSettings, Surroundings } from './settings.ts';
import { refuseUsedOutput, stagingFolder, sweepAbandoned } from './staging.ts';
import { startLedger } from './start-ledger.ts';
import { emptyState } from './state.ts';

/**
 * Builds a whole campaign in a folder beside the output and moves it there in one rename: at every instant the output
 * either holds a complete campaign or is exactly as the user left it.
 */
export async function createCampaign(options: {
	readonly folder: string;
	readonly settings: LaunchSettings;
	readonly inputs: EvaluationInputs;
	readonly evaluatorIdentity: string | null;
	readonly surroundings: Surroundings;
}): Promise<readonly string[]> {
	const { folder, settings, inputs, surroundings } = options;
	await refuseUsedOutput(folder);
	await ensureFolder(dirname(folder));
	await sweepAbandoned(folder);
	const staging = stagingFolder(folder);
	const state = join(staging, stateFolder);
	const scratch = `${staging}.state`;
	try {
		const workspace = await surroundings.openWorkspace({
			path: staging,
			seed: settings.initialRepo ?? undefined,
			includeUncommitted: settings.includeUncommitted,
			existing: 'refused',
			stateFolder: scratch,
			userEnvironment: { ...surroundings.environment, PATH: surroundings.path },
			clock: surroundings.clock,
			signal: surroundings.signal,
		});
		let mainCommit: string;
		try {
			mainCommit = await commitInputs(workspace, { state, settings, level: inputs.level });
			if (isEngineScored(inputs.level))
				await refuseUnwritableTree(workspace, { mainCommit, to: join(scratch, 'check') });
		} finally {
			await workspace.close();
		}
		const launch = launchOf({
			settings,
			inputs,
			surroundings,
			seedCommit: workspace.seed.commit,
			mainCommit,
			evaluatorIdentity: options.evaluatorIdentity,
		});
		await saveLaunch(state, launch);
		const ledger = await startLedger(state, { launch, surroundings });
		await ledger.close();
		await saveRunState(
			join(state, 'run_state.json'),
			runStateOf({
				launch,
				fingerprint: fingerprintOf({ ...launch, level: launch.evaluationLevel, initialRepo: settings.initialRepo }),
				state: emptyState,
				objective: inputs.suite?.evaluation?.objective ?? 'maximize',
				position: { sha256: ledger.head, seq: 0 },
			}),
		);
		await publish(staging, folder);
		return workspace.seed.uncommitted;
	} finally {
		await rm(staging, { recursive: true, force: true });
		await rm(scratch, { recursive: true, force: true });
	}
}

async function publish(staging: string, folder: string): Promise<void> {
	try {
		await rename(staging, folder);
	} catch (cause) {
		await refuseUsedOutput(folder);
		throw cause;
	}
	await syncFolder(dirname(folder));
}

/** What cannot be written as a plain folder (twins, links that lead out) can never be scored, and every candidate has it. */
async function refuseUnwritableTree(
	workspace: Workspace,
	options: { readonly mainCommit: string; readonly to: string },
): Promise<void> {
	try {
		await workspace.materializeTree(options.mainCommit, { to: options.to, exclude: isHiddenFromEvaluation });
	} catch (cause) {
		if (!KapsoError.isInstance(cause) || cause.category !== 'verdict') throw cause;
		throw new KapsoError({
			code: 'SEED_PATHS',
			category: 'usage',
			message: `the initial repository cannot be scored: ${cause.message}`,
			hint: `nothing was created and nothing was spent. ${cause.hint}`,
			data: cause.data,
			cause,
		});
	}
}
