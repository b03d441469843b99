import { join } from 'node:path';
import { dataFolder, type EvaluationLevel, KapsoError, suiteFolder } from '@kapso-evolve/contracts';
import { ensureFolder } from '@kapso-evolve/durable-fs';
import {
	captureData,
	captureSuite,
	type DataSnapshot,
	type Suite,
	suiteFiles,
	verifyCandidate,
} from '@kapso-evolve/eval-integrity';
import type { Workspace } from '@kapso-evolve/workspace-git';
import type { LaunchSettings } from './settings.ts';

/** Snapshots suite and data, commits what candidates may see to `main`, and proves that an honest tree would pass. */
export async function commitInputs(
	workspace: Workspace,
	options: { state: string; settings: LaunchSettings; level: EvaluationLevel },
): Promise<string> {
	const { state, settings } = options;
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
