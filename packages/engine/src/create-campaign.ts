import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openLedger, saveRunState } from '@kapso-evolve/checkpoint';
import {
	dataFolder,
	type EvaluationLevel,
	KapsoError,
	type LedgerLine,
	stateFolder,
	suiteFolder,
} from '@kapso-evolve/contracts';
import { ensureFolder, syncFolder } from '@kapso-evolve/durable-fs';
import {
	captureData,
	captureSuite,
	type DataSnapshot,
	type Suite,
	suiteFiles,
	verifyCandidate,
} from '@kapso-evolve/eval-integrity';
import { openWorkspace, type Workspace } from '@kapso-evolve/workspace-git';
import type { EvaluationInputs } from './evaluation-inputs.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type Launch, saveLaunch } from './launch.ts';
import { runStateOf } from './save-campaign.ts';
import type { LaunchSettings, Surroundings } from './settings.ts';
import { refuseUsedOutput, stagingFolder, sweepAbandoned } from './staging.ts';
import { emptyState } from './state.ts';
import { engineVersion } from './version.ts';

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
	const scratch = `${staging}.state`;
	try {
		const workspace = await openWorkspace({
			path: staging,
			seed: settings.initialRepo ?? undefined,
			includeUncommitted: settings.includeUncommitted,
			existing: 'refused',
			stateFolder: scratch,
			userEnvironment: { ...surroundings.environment, PATH: surroundings.path },
			signal: surroundings.signal,
		});
		let mainCommit: string;
		try {
			mainCommit = await commitInputs(workspace, { staging, settings, level: inputs.level });
		} finally {
			await workspace.close();
		}
		const launch: Launch = {
			schemaVersion: 1,
			campaignId: surroundings.ids.next('campaign'),
			createdAt: surroundings.clock.now().toISOString(),
			engineVersion,
			settings,
			evaluationLevel: inputs.level,
			isolation: inputs.isolation,
			suiteDigest: inputs.suite?.digest ?? null,
			evaluationDigest: inputs.evaluationDigest,
			dataDigest: inputs.dataDigest,
			seedCommit: workspace.seed.commit,
			mainCommit,
			evaluatorIdentity: options.evaluatorIdentity,
		};
		await saveLaunch(staging, launch);
		const opened = await startLedger(staging, launch, surroundings);
		await saveRunState(
			join(staging, stateFolder, 'run_state.json'),
			runStateOf({
				launch,
				fingerprint: fingerprintOf({ ...launch, level: launch.evaluationLevel, initialRepo: settings.initialRepo }),
				state: emptyState,
				objective: inputs.suite?.evaluation?.objective ?? 'maximize',
				position: opened,
			}),
		);
		await publish(staging, folder);
		return workspace.seed.uncommitted;
	} finally {
		await rm(staging, { recursive: true, force: true });
		await rm(scratch, { recursive: true, force: true });
	}
}

/** Snapshots suite and data, commits what candidates may see to `main`, and proves that an honest tree would pass. */
async function commitInputs(
	workspace: Workspace,
	options: { staging: string; settings: LaunchSettings; level: EvaluationLevel },
): Promise<string> {
	const { staging, settings } = options;
	const state = join(staging, stateFolder);
	await ensureFolder(state);
	const from = settings.evalDir ?? settings.privateEvalDir;
	if (from === null) return workspace.mainCommit;
	const visibility = settings.evalDir === null ? 'private' : 'visible';
	const suite = await captureSuite({ from, to: join(state, 'suite'), evaluation: settings.evaluation, visibility });
	const data =
		settings.dataDir === null ? null : await captureData({ from: settings.dataDir, to: join(state, 'data') });
	const files = [
		...(visibility === 'visible' ? await filesUnder(suite, suiteFolder) : []),
		...(data === null || visibility === 'private' ? [] : await filesUnder(data, dataFolder)),
	];
	const mainCommit =
		files.length === 0
			? workspace.mainCommit
			: await workspace.commitFiles({
					files,
					replaceFolders: [...new Set(files.map((file) => file.path.split('/', 1)[0]!))],
					message: "Add the caller's evaluation suite and data\n",
				});
	await refuseSelfRejectingSuite(workspace, { mainCommit, suite, data, level: options.level });
	return mainCommit;
}

type SnapshotFile = { path: string; mode: '100644' | '100755'; bytes: Uint8Array };

async function filesUnder(snapshot: Suite | DataSnapshot, folder: string): Promise<SnapshotFile[]> {
	const files: SnapshotFile[] = [];
	for await (const file of suiteFiles(snapshot)) files.push({ ...file, path: `${folder}/${file.path}` });
	return files;
}

async function refuseSelfRejectingSuite(
	workspace: Workspace,
	options: { mainCommit: string; suite: Suite; data: DataSnapshot | null; level: EvaluationLevel },
): Promise<void> {
	const { mainCommit, ...judgedBy } = options;
	const tree = workspace.candidateTree(mainCommit);
	const verdict = await verifyCandidate({ tree, baseline: tree, ...judgedBy });
	if (verdict.valid) return;
	throw new KapsoError({
		code: 'SUITE_REJECTS_BASELINE',
		category: 'usage',
		message: `the suite rejects the unchanged repository, so it would reject every candidate: ${verdict.error}`,
		hint: 'nothing was created and nothing was spent; correct the suite or the repository at the paths named',
		data: { code: verdict.code, paths: [...verdict.paths] },
	});
}

async function startLedger(staging: string, launch: Launch, surroundings: Surroundings): Promise<LedgerLine> {
	const ledger = await openLedger({
		path: join(staging, stateFolder, 'ledger.jsonl'),
		campaignId: launch.campaignId,
		clock: surroundings.clock,
		slice: 0,
	});
	const line = await ledger.append({
		type: 'opened',
		nodeId: null,
		attempt: null,
		data: {
			campaign_id: launch.campaignId,
			goal: launch.settings.goal,
			level: launch.evaluationLevel,
			isolation: launch.isolation,
			suite_digest: launch.suiteDigest,
			data_digest: launch.dataDigest,
			main_commit: launch.mainCommit,
			seed_commit: launch.seedCommit,
			engine_version: launch.engineVersion,
		},
	});
	await ledger.close();
	return line;
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
