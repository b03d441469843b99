import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, KapsoError } from '@kapso-evolve/contracts';
import { ensureFolder, syncFolder, writeFileDurable } from '@kapso-evolve/durable-fs';
import { campaignMarker, creatingPrefix } from './campaign-folder.ts';
import { createCatFileReader } from './cat-file-reader.ts';
import { commitTree } from './finalise.ts';
import { type GitRunner, gitFailed } from './git/runner.ts';
import { headCommit } from './head.ts';
import { ingestCommits } from './ingest.ts';
import { createMutex } from './mutex.ts';
import { createReferences, listReferences } from './references.ts';
import type { Repository } from './repository.ts';
import { writeGitDir } from './repository-files.ts';
import { openScratch } from './scratch.ts';
import type { Seed } from './seed.ts';
import { snapshotSeedFolder } from './seed-folder.ts';
import { checkSeedCommit, listUncommitted, takeUncommitted } from './seed-repository.ts';
import { writeIntent } from './switch-intent.ts';
import { emptyTree } from './switch-recovery.ts';
import type { SeedReport } from './workspace.ts';

interface CreateOptions {
	readonly git: GitRunner;
	readonly path: string;
	readonly seed: Seed;
	readonly includeUncommitted: boolean;
	readonly allowSecrets: boolean;
	readonly stateFolder: string;
	readonly clock: Clock;
	readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the campaign's git dir under another name and renames it into place when it is complete: a folder either is a
 * campaign or is not. Its files are then written by the same recovery that finishes an interrupted checkout. A refusal
 * leaves no trace.
 */
export async function createCampaign(options: CreateOptions): Promise<SeedReport> {
	const { path } = options;
	const firstCreated = await mkdir(path, { recursive: true });
	const stage = await mkdtemp(join(path, creatingPrefix));
	try {
		const report = await fillGitDir(options, stage);
		await rename(stage, join(path, '.git'));
		await syncFolder(path);
		for (const name of await readdir(path)) {
			if (name.startsWith(creatingPrefix)) await rm(join(path, name), { recursive: true, force: true });
		}
		return report;
	} catch (error) {
		await rm(stage, { recursive: true, force: true });
		if (firstCreated !== undefined) await removeEmptyFolders(path, firstCreated);
		throw error;
	}
}

async function fillGitDir(options: CreateOptions, gitDir: string): Promise<SeedReport> {
	const { git, seed } = options;
	await makeGitDir(options, gitDir);
	const objectFormat = await readObjectFormat(gitDir);
	// Our own settings in place of the clone's: no remote, no address (which may hold a password), no filter.
	await writeGitDir(gitDir, { branch: '', bare: false, objectFormat });
	const scratch = await openScratch({ stateFolder: options.stateFolder, campaignGitDir: gitDir, objectFormat });
	const objects = createCatFileReader({ git, gitDir: scratch.gitDir });
	const repository: Repository = {
		...options,
		root: options.path,
		gitDir,
		objectFormat,
		scratch,
		objects,
		mutex: createMutex(),
	};
	try {
		const head = await headCommit(repository);
		const { commit, uncommitted } = await firstCommit(repository, options, head);
		if (commit !== head) await ingestCommits(repository, { commits: [commit], known: head === null ? [] : [head] });
		// A seed's `main` is the commit it had checked out; with uncommitted files taken along, one engine commit later.
		const main = (await listReferences(repository, 'refs/heads/main')).get('refs/heads/main');
		if (main === undefined) await createReferences(repository, new Map([['refs/heads/main', commit]]));
		else if (main !== commit) {
			await git.ok(['update-ref', '--stdin', '-z'], { gitDir, stdin: `update refs/heads/main\0${commit}\0${main}\0` });
		}
		await git.ok(['symbolic-ref', 'HEAD', 'refs/heads/main'], { gitDir });
		await ensureFolder(join(gitDir, 'kapso'));
		await writeFileDurable(join(gitDir, campaignMarker), '{"schema_version":1}\n');
		await writeIntent(gitDir, { from: null, to: commit });
		return { kind: seed.kind, commit: seed.kind === 'none' ? null : commit, uncommitted };
	} finally {
		await objects.close();
		await scratch[Symbol.asyncDispose]();
	}
}

async function makeGitDir(options: CreateOptions, gitDir: string): Promise<void> {
	const { git, seed, signal } = options;
	if (seed.kind === 'none' || seed.kind === 'folder') {
		await git.ok(['init', '--quiet', '--bare', '--template=', '--initial-branch=main', gitDir]);
		return;
	}
	const argv = ['clone', '--quiet', '--bare', '--single-branch', '--no-tags', '--no-local', '--template='].concat(
		'--',
		seed.kind === 'url' ? seed.url : seed.path,
		gitDir,
	);
	const answer = await git.run(argv, {
		asUser: seed.kind === 'url',
		fsck: false, // the user's own history, however old its mistakes are
		deadlineMs: 3_600_000,
		...(signal === undefined ? {} : { signal }),
	});
	if (answer.exitCode === 0) return;
	const name = seed.kind === 'url' ? seed.url.replace(/\/\/[^/@]*@/, '//') : seed.path;
	throw new KapsoError({
		code: 'SEED_CLONE_FAILED',
		category: 'infrastructure',
		message: `git could not clone ${name}: ${answer.stderr
			.trim()
			.slice(-2000)
			.replace(/\/\/[^/@\s]*@/g, '//')}`,
		hint: 'Nothing was created. Check the address and that `git clone` of it works in your shell.',
		cause: gitFailed(['clone'], { ...answer, stderr: '' }),
	});
}

/** From the repository's own settings, as Git wrote them. */
export async function readObjectFormat(gitDir: string): Promise<'sha1' | 'sha256'> {
	const settings = await readFile(join(gitDir, 'config'), 'utf8');
	return /^\s*objectformat\s*=\s*"?sha256/im.test(settings) ? 'sha256' : 'sha1';
}

async function firstCommit(
	repository: Repository,
	options: CreateOptions,
	head: string | null,
): Promise<{ commit: string; uncommitted: string[] }> {
	const { seed } = options;
	if (seed.kind === 'folder') {
		const tree = await snapshotSeedFolder(repository, { ...options, folder: seed.path });
		const commit = await commitTree(repository, { tree, parent: null, message: 'Seed\n' });
		await checkSeedCommit(repository, commit);
		return { commit, uncommitted: [] };
	}
	if (head === null) {
		const tree = await emptyTree(repository);
		const commit = await commitTree(repository, { tree, parent: null, message: 'Start of the campaign\n' });
		return { commit, uncommitted: [] };
	}
	await checkSeedCommit(repository, head);
	if (seed.kind !== 'repository' || seed.isBare) return { commit: head, uncommitted: [] };
	const uncommitted = await listUncommitted(repository, seed, head);
	if (!options.includeUncommitted || uncommitted.length === 0) return { commit: head, uncommitted };
	return { commit: await takeUncommitted(repository, { ...options, seed, head, uncommitted }), uncommitted: [] };
}

async function removeEmptyFolders(path: string, first: string): Promise<void> {
	for (let folder = path; folder.startsWith(first); folder = join(folder, '..')) {
		try {
			await rmdir(folder);
		} catch (error) {
			if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return;
			throw error;
		}
	}
}
