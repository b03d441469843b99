import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { KapsoError, systemClock } from '@kapso-evolve/contracts';
import { writeFileDurable } from '@kapso-evolve/durable-fs';
import { createAgentClone, removeAgentClone } from './agent-clone.ts';
import { folderState } from './campaign-folder.ts';
import { createCandidateTree, createTreeDigest } from './candidate-tree.ts';
import { createCatFileReader } from './cat-file-reader.ts';
import { checkoutBest } from './checkout-best.ts';
import { commitFilesOnMain } from './commit-files.ts';
import { createCampaign, readObjectFormat } from './create-campaign.ts';
import { changedPaths, diffCommits, isAncestor } from './difference.ts';
import { finaliseCandidate, snapshotClone } from './finalise.ts';
import { findGit } from './git/find-git.ts';
import { materializeCommit, sweepWorktrees } from './materialize.ts';
import { materializeTree } from './materialize-tree.ts';
import { createMutex } from './mutex.ts';
import { isObjectId } from './object-id.ts';
import { listReferences, resolveCommit } from './references.ts';
import { rememberTrees } from './remembered-trees.ts';
import type { Repository } from './repository.ts';
import { attributesFile, excludeRules } from './repository-files.ts';
import { restoreMain } from './restore-main.ts';
import { findTarget, safeSwitch } from './safe-switch.ts';
import { openScratch, sweepHalfWritten, sweepScratches } from './scratch.ts';
import { recogniseSeed } from './seed.ts';
import { recoverSwitch } from './switch-recovery.ts';
import { createTreePool, type TreePool } from './tree-pool.ts';
import type { OpenWorkspaceOptions, SeedReport, Workspace } from './workspace.ts';

/**
 * Opens a campaign's repository, or makes one: empty, or from a seed (cloned or copied, never written to). Refusals
 * (usage) come before anything is created: `NOT_A_CAMPAIGN`, `CAMPAIGN_EXISTS`, `CAMPAIGN_MISSING`, `SEED_MISSING`,
 * `SEED_CONTAINS_OUTPUT`, `SEED_TOO_BROAD`, `SEED_SUBMODULES`, `SEED_LFS`, `SEED_SECRETS`, `SEED_LINK`, `SEED_PATHS`,
 * `PATH_NOT_ABSOLUTE`; infrastructure: `GIT_MISSING`, `GIT_TOO_OLD`, `SEED_CLONE_FAILED`.
 */
export async function openWorkspace(options: OpenWorkspaceOptions): Promise<Workspace> {
	const { clock = systemClock, existing = 'allowed' } = options;
	for (const path of [options.path, options.stateFolder]) checkAbsolute(path);
	const root = await realFuturePath(options.path);
	const state = await folderState(root);
	checkExpectation(root, state, existing);
	const seed = await recogniseSeed({
		seed: state === 'campaign' ? undefined : options.seed,
		output: root,
		home: options.userEnvironment.HOME,
	});
	await mkdir(options.stateFolder, { recursive: true });
	const stateFolder = await realpath(options.stateFolder);
	const globalConfig = join(stateFolder, 'gitconfig');
	const safe = '[safe]\n\tdirectory = *\n';
	// Another engine may be reading it at this moment: it is written once, whole.
	if ((await readFile(globalConfig, 'utf8').catch(() => '')) !== safe) await writeFileDurable(globalConfig, safe);
	const { git, version } = await findGit({
		folder: stateFolder,
		globalConfig,
		userEnvironment: options.userEnvironment,
	});
	await sweepScratches(stateFolder);

	const created = state !== 'campaign';
	let seedReport: SeedReport = { kind: 'none', commit: null, uncommitted: [] };
	if (created) {
		seedReport = await createCampaign({
			git,
			path: root,
			seed,
			includeUncommitted: options.includeUncommitted ?? false,
			allowSecrets: options.allowSecrets ?? false,
			stateFolder,
			clock,
			signal: options.signal,
		});
	}
	const gitDir = join(root, '.git');
	const objectFormat = await readObjectFormat(gitDir);
	await ensurePrivateFiles(gitDir);
	await sweepHalfWritten([stateFolder, join(stateFolder, 'worktrees'), join(gitDir, 'kapso')]);
	const scratch = await openScratch({ stateFolder, campaignGitDir: gitDir, objectFormat });
	const objects = rememberTrees(createCatFileReader({ git, gitDir: scratch.gitDir }));
	const repository: Repository = {
		root,
		gitDir,
		stateFolder,
		objectFormat,
		git,
		scratch,
		objects,
		clock,
		mutex: createMutex(),
	};
	const pool = createTreePool(repository);
	const close = async () => {
		await pool.close();
		await objects.close();
		await scratch[Symbol.asyncDispose]();
	};
	try {
		const repairs = [...(await recoverAtOpen(repository, created)), ...(await sweepWorktrees(repository))];
		const main = await restoreMain(repository, options.checkoutMain ?? true);
		repairs.push(...main.repairs);
		const { mainCommit } = main;
		return createWorkspace(repository, pool, {
			created,
			mainCommit,
			gitVersion: version,
			seed: seedReport,
			repairs,
			close,
		});
	} catch (error) {
		await close();
		throw error;
	}
}

function createWorkspace(
	repository: Repository,
	pool: TreePool,
	facts: Pick<Workspace, 'created' | 'mainCommit' | 'gitVersion' | 'seed' | 'repairs' | 'close'>,
): Workspace {
	const { root, gitDir, objects, mutex } = repository;
	const treeDigest = createTreeDigest(objects);
	const commitOf = async (ref: string) => (isObjectId(ref) ? ref : resolveCommit(repository, ref));
	const sourceOf = (source: Parameters<Workspace['materializeTree']>[0]) => {
		if (typeof source === 'string') return source;
		if ('source' in source && typeof source.source === 'string') return source.source;
		throw new TypeError('this candidate tree was not made by a workspace');
	};
	return {
		...facts,
		root,
		gitDir,
		objects,
		resolve: (ref) => resolveCommit(repository, ref),
		async branches() {
			const refs = await listReferences(repository, 'refs/heads/');
			return new Map([...refs].map(([name, commit]) => [name.slice('refs/heads/'.length), commit]));
		},
		commitFiles: (o) => mutex.run(() => commitFilesOnMain(repository, o)),
		createAgentClone: (o) => createAgentClone(repository, o),
		removeClone: (clone) => removeAgentClone(repository, clone),
		workingTree: async (clone) => createCandidateTree(objects, (await snapshotClone(repository, clone)).tree),
		finalise: (o) => finaliseCandidate(repository, o, treeDigest),
		candidateTree: (commit) => createCandidateTree(objects, commit),
		treeDigest,
		materialize: (ref) => materializeCommit(repository, ref),
		materializeTree: (source, o) => materializeTree(repository, sourceOf(source), o),
		leaseTree: (source, o = {}) => pool.lease(sourceOf(source), o),
		diff: async (from, to) => diffCommits(repository, await commitOf(from), await commitOf(to)),
		changedPaths: async (from, to) => changedPaths(repository, await commitOf(from), await commitOf(to)),
		isAncestor: (ancestor, descendant) => isAncestor(repository, ancestor, descendant),
		checkout: (ref) => mutex.run(async () => safeSwitch(repository, await findTarget(repository, ref))),
		checkoutBest: (o) => mutex.run(() => checkoutBest(repository, o)),
		[Symbol.asyncDispose]: facts.close,
	};
}

/** An interrupted checkout that someone edited over does not keep a campaign from opening: only its next checkout. */
async function recoverAtOpen(repository: Repository, created: boolean): Promise<string[]> {
	try {
		const done = await recoverSwitch(repository);
		return done === null || created ? [] : [done];
	} catch (error) {
		if (created || !KapsoError.isInstance(error) || error.code !== 'CHECKOUT_REFUSED') throw error;
		return [`left as it is: ${error.message}`];
	}
}

function checkAbsolute(path: string): void {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
	if (isAbsolute(path) && !/[\u0000-\u001f]/.test(path)) return;
	throw new KapsoError({
		code: 'PATH_NOT_ABSOLUTE',
		category: 'usage',
		message: `${JSON.stringify(path)} is not an absolute path without control characters`,
		hint: 'Nothing was created.',
	});
}

/** The real path of a folder that may not exist yet: its nearest existing ancestor decides. */
async function realFuturePath(path: string): Promise<string> {
	try {
		return await realpath(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
		const parent = await realFuturePath(dirname(path));
		return parent === sep ? sep + basename(path) : join(parent, basename(path));
	}
}

function checkExpectation(
	root: string,
	state: Awaited<ReturnType<typeof folderState>>,
	existing: 'required' | 'refused' | 'allowed',
): void {
	const refuse = (code: string, message: string, hint: string) =>
		new KapsoError({ code, category: 'usage', message, hint: `Nothing was created. ${hint}`, data: { path: root } });
	if (state === 'campaign' && existing === 'refused') {
		throw refuse('CAMPAIGN_EXISTS', `there is a campaign in ${root} already`, 'Resume it, or choose another folder.');
	}
	if (state === 'other') {
		throw refuse('NOT_A_CAMPAIGN', `${root} is not empty and holds no campaign`, 'Choose an empty or new folder.');
	}
	if (state !== 'campaign' && existing === 'required') {
		throw refuse('CAMPAIGN_MISSING', `there is no campaign in ${root}`, 'Start one, or check the path.');
	}
}

/** Our ignore rules and attributes in the repository's private files, beside whatever the user wrote there. */
async function ensurePrivateFiles(gitDir: string): Promise<void> {
	await mkdir(join(gitDir, 'info'), { recursive: true });
	for (const [name, lines] of [
		['exclude', excludeRules],
		['attributes', [attributesFile.trim()]],
	] as const) {
		const path = join(gitDir, 'info', name);
		const text = (await stat(path).catch(() => null)) === null ? '' : await readFile(path, 'utf8');
		const present = new Set(text.split('\n').map((line) => line.trim()));
		const missing = lines.filter((line) => !present.has(line));
		if (missing.length === 0) continue;
		await writeFile(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
	}
}
