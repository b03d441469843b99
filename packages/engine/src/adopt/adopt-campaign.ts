import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	acquireCampaignLock,
	type LegacyCampaign,
	type LegacyNode,
	openRecords,
	type Records,
	RunCheckpointCompletedError,
	RunCheckpointCorruptError,
	RunCheckpointIncompatibleError,
	saveHistory,
	saveRunState,
} from '@kapso-evolve/checkpoint';
import { encodeNode, KapsoError, type SearchNode, stateFolder } from '@kapso-evolve/contracts';
import { ensureFolder, removeTree, syncFolder } from '@kapso-evolve/durable-fs';
import { createGenericSearch } from '@kapso-evolve/search';
import { openRepositoryReader, openWorkspace } from '@kapso-evolve/workspace-git';
import { commitInputs } from '../commit-inputs.ts';
import type { EvaluationInputs } from '../evaluation-inputs.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { type Launch, launchOf, saveLaunch } from '../launch.ts';
import { runStateOf } from '../save-campaign.ts';
import type { LaunchSettings, Surroundings } from '../settings.ts';
import { startLedger } from '../start-ledger.ts';
import { foldLedger } from '../state.ts';
import { adoptingFolder, isThere, keptFolder, picklePath } from './find-legacy.ts';
import { missingBranches, nodesOfLegacy } from './legacy-nodes.ts';
import { adoptedNames, publishAdoption } from './publish-adoption.ts';

interface AdoptOptions {
	readonly folder: string;
	readonly legacy: LegacyCampaign;
	readonly settings: LaunchSettings;
	readonly inputs: EvaluationInputs;
	readonly evaluatorIdentity: string | null;
	readonly surroundings: Surroundings;
}

/**
 * Makes a campaign of ours out of one of a Python release, in its own folder: its candidates keep their branches, the
 * goal and the fingerprint are the current call's, and the ledger's first line says where the rest came from. Everything
 * is refused before anything is touched; built beside, moved into place, and finished by the next resume if killed.
 */
export async function adoptCampaign(options: AdoptOptions): Promise<void> {
	const { folder, legacy } = options;
	refuseOtherRun(options);
	await refuseMissingBranches(options);
	const lock = await acquireCampaignLock({ folder: join(folder, stateFolder), clock: options.surroundings.clock });
	try {
		await refuseUsedNames(folder);
		await keepOriginals(folder);
		await build(options);
		await publishAdoption(folder);
	} finally {
		await lock.release();
	}
	options.surroundings.logger.info({ from: legacy.source, sha256: legacy.sha256 }, 'a campaign was adopted');
}

function refuseOtherRun({ legacy, settings }: AdoptOptions): void {
	if (legacy.status === 'completed')
		throw new RunCheckpointCompletedError({ completedIterations: legacy.completedIterations });
	if (legacy.goal === null || legacy.goal.trim() === settings.goal) return;
	throw new RunCheckpointIncompatibleError({
		message: `The campaign was started with another goal: recorded ${JSON.stringify(legacy.goal.slice(0, 200))}.`,
		hint: 'Nothing was changed. Ask for the recorded goal, or start a campaign in a new folder.',
		mismatches: [{ key: 'goal', recorded: legacy.goal, requested: settings.goal }],
	});
}

async function refuseMissingBranches({ folder, legacy, surroundings }: AdoptOptions): Promise<void> {
	const repository = await openRepositoryReader({ path: folder, programs: surroundings.path });
	try {
		const missing = missingBranches(legacy, await repository.branches());
		if (missing.length === 0) return;
		const path = legacy.source === 'checkpoint.pkl' ? picklePath(folder) : join(folder, stateFolder, legacy.source);
		throw new RunCheckpointCorruptError({ path, reason: `missing Git branches: ${missing.join(', ')}` });
	} finally {
		await repository.close();
	}
}

/** An adoption never replaces what is ours already; only the two files that were kept before. */
async function refuseUsedNames(folder: string): Promise<void> {
	await removeTree(adoptingFolder(folder));
	for (const name of adoptedNames.filter((each) => !replaced.includes(each))) {
		if (!(await isThere(join(folder, stateFolder, name)))) continue;
		throw new KapsoError({
			code: 'ADOPTION_REFUSED',
			category: 'usage',
			message: `${join(folder, stateFolder, name)} is there already, so this is not a campaign of another release alone`,
			hint: 'nothing was changed; the folder is a damaged campaign of this engine: restore it from a backup',
			data: { folder, name },
		});
	}
}

const replaced = ['run_state.json', 'experiment_history.json'];

/** The bytes of the other release stay, under `.kapso/legacy/`. */
async function keepOriginals(folder: string): Promise<void> {
	const kept = keptFolder(folder);
	for (const name of replaced) {
		const original = join(folder, stateFolder, name);
		if ((await isThere(join(kept, name))) || !(await isThere(original))) continue;
		await ensureFolder(kept);
		await copyFile(original, join(kept, name));
		await syncFolder(kept);
	}
}

async function build(options: AdoptOptions): Promise<void> {
	const { folder, legacy, settings, inputs, surroundings } = options;
	const scratch = await mkdtemp(join(tmpdir(), 'kapso-adopt-'));
	try {
		await using workspace = await openWorkspace({
			path: folder,
			existing: 'required',
			stateFolder: scratch,
			userEnvironment: { ...surroundings.environment, PATH: surroundings.path },
			signal: surroundings.signal,
		});
		const state = adoptingFolder(folder);
		await ensureFolder(state);
		const branches = await workspace.branches();
		const adopted = nodesOfLegacy(legacy, {
			branches,
			mainCommit: workspace.mainCommit,
			hasSuite: inputs.suite !== null,
		});
		createGenericSearch({ parentPolicy: settings.parentPolicy, objective: 'maximize', nodes: adopted });
		const records = openRecords(join(state, 'records'));
		const nodes: SearchNode[] = [];
		for (const [index, node] of adopted.entries()) {
			nodes.push({
				...node,
				treeSha256: node.commit === null ? null : await workspace.treeDigest(node.commit),
				records: await keepTexts(records, legacy.nodes[index]!),
			});
		}
		const mainCommit = await commitInputs(workspace, { state, settings, level: inputs.level });
		const launch = launchOf({
			settings,
			inputs,
			surroundings,
			seedCommit: null,
			mainCommit,
			evaluatorIdentity: options.evaluatorIdentity,
		});
		await writeState(state, { ...options, launch, nodes });
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

/** What made the old state files large goes where such texts belong. */
async function keepTexts(records: Records, node: LegacyNode): Promise<Record<string, string>> {
	const texts = { transcript: node.agent_output, diff: node.code_diff, evaluation: node.evaluation_output };
	const kept: Record<string, string> = {};
	for (const [name, bytes] of Object.entries(texts)) {
		if (bytes !== '') kept[name] = await records.put({ nodeId: node.node_id, attempt: 1, name, bytes });
	}
	return kept;
}

/** The ledger first, what follows from it after, and `launch.json` last: with it the adoption is whole. */
async function writeState(
	state: string,
	options: AdoptOptions & { readonly launch: Launch; readonly nodes: readonly SearchNode[] },
): Promise<void> {
	const { legacy, launch, nodes, surroundings, inputs } = options;
	const ledger = await startLedger(state, {
		launch,
		surroundings,
		data: {
			elapsed_ms: Math.round(legacy.elapsedSeconds * 1000),
			adopted_from: {
				source: legacy.source,
				schema_version: legacy.schemaVersion,
				sha256: legacy.sha256,
				renumbered: legacy.renumbered,
			},
		},
	});
	for (const [component, usd] of Object.entries(legacy.costByComponent ?? { adopted: null })) {
		await ledger.append({
			type: 'cost',
			nodeId: null,
			attempt: null,
			data: { component, usd, basis: 'adopted' },
		});
	}
	for (const node of nodes) {
		await ledger.append({
			type: 'recorded',
			nodeId: node.nodeId,
			attempt: 1,
			data: { node: encodeNode(node), adopted: true },
		});
	}
	if (legacy.lastStop !== null)
		await ledger.append({ type: 'stopped', nodeId: null, attempt: null, data: { ...legacy.lastStop } });
	await ledger.close();
	await saveRunState(
		join(state, 'run_state.json'),
		runStateOf({
			launch,
			fingerprint: fingerprintOf({
				...launch,
				level: launch.evaluationLevel,
				initialRepo: launch.settings.initialRepo,
			}),
			state: foldLedger(ledger.lines),
			objective: inputs.suite?.evaluation?.objective ?? 'maximize',
			position: { sha256: ledger.head, seq: ledger.lines.length - 1 },
		}),
	);
	await saveHistory(join(state, 'experiment_history.json'), nodes);
	await saveLaunch(state, launch);
}
