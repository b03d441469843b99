import { copyFile, lstat, readFile, readlink, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { commitTree } from './finalise.ts';
import { absolutePath, display, fromText, type PathBytes, splitNul, toBytes } from './git/path-bytes.ts';
import type { GitRunner } from './git/runner.ts';
import type { Repository } from './repository.ts';
import { memoryPath } from './repository-files.ts';
import { seedError } from './seed.ts';
import { refuseSecrets } from './seed-folder.ts';
import { pathProblems, twinReason } from './tree-policy.ts';
import { treeWithFiles } from './tree-with-files.ts';

/** Refuses by name what a clone would bring in silently empty or unreadable: submodules, LFS pointers, odd names. */
export async function checkSeedCommit(repository: Repository, commit: string): Promise<void> {
	const entries = await repository.objects.listTree(commit);
	const submodules = entries.filter(({ mode }) => mode === '160000').map(({ path }) => path.toString('utf8'));
	if (submodules.length > 0) {
		throw seedError(
			'SEED_SUBMODULES',
			`the seed has submodules, which would be empty folders: ${submodules.slice(0, 10).join(', ')}`,
			'Copy their files into the repository (or into a plain folder) and use that as the seed.',
			{ paths: submodules },
		);
	}
	const pointers: string[] = [];
	const small = entries.filter(({ mode, size }) => mode !== '120000' && size > 100 && size < 1024);
	if (await usesLargeFileStorage(repository, entries)) {
		for (const { path, id } of small) {
			const text = (await repository.objects.readBlob(id)).toString('latin1');
			if (text.startsWith('version https://git-lfs.github.com/spec/')) pointers.push(path.toString('utf8'));
		}
	}
	if (pointers.length > 0) {
		throw seedError(
			'SEED_LFS',
			`the seed keeps files in Git LFS; the repository only has pointers to them: ${pointers.slice(0, 10).join(', ')}`,
			'Use a plain folder with the real files as the seed (`git lfs pull`, then copy it without .git).',
			{ paths: pointers },
		);
	}
	const names = entries.map(({ path, mode }) => ({ path: path.toString('latin1'), mode }));
	refuseStateFiles(names.filter(({ path, mode }) => path !== memoryPath || mode === '120000').map(({ path }) => path));
	const problems = pathProblems(names).filter(({ reason }) => !reason.startsWith(twinReason));
	if (problems.length === 0) return;
	throw seedError(
		'SEED_PATHS',
		`the seed has names that a candidate cannot carry: ${problems[0]!.path} (${problems[0]!.reason})`,
		'Rename them in a commit of the seed.',
		{ paths: problems.map(({ path }) => path), problems },
	);
}

/** The engine writes below `.kapso`: a link of that name would lead it out of the campaign, a file would be replaced. */
function refuseStateFiles(paths: readonly string[]): void {
	const found = paths.filter((path) => /^\.kapso(\/|$)/i.test(path));
	if (found.length === 0) return;
	throw seedError(
		'SEED_PATHS',
		`the seed has files where a campaign keeps its state: ${found.slice(0, 10).join(', ')}`,
		`Remove them from Git (only ${memoryPath} may stay).`,
		{ paths: found },
	);
}

async function usesLargeFileStorage(
	repository: Repository,
	entries: Awaited<ReturnType<Repository['objects']['listTree']>>,
): Promise<boolean> {
	for (const { path, id } of entries) {
		if (!/(^|\/)\.gitattributes$/.test(path.toString('latin1'))) continue;
		if ((await repository.objects.readBlob(id)).includes('filter=lfs')) return true;
	}
	return false;
}

/**
 * Files of the seed's work tree that differ from its HEAD or are untracked, by the user's own ignore rules. Looked at
 * through a copy of its index in our scratch repository: nothing is written there and no filter of the user's runs.
 */
export async function listUncommitted(
	repository: Repository,
	seed: { readonly path: string; readonly gitDir: string },
	head: string,
): Promise<string[]> {
	const { git, scratch } = repository;
	const indexFile = join(scratch.folder, 'seed-index');
	const call = { gitDir: scratch.gitDir, workTree: seed.path, indexFile, durable: false };
	if (!(await copyIndex(repository, seed, indexFile))) await git.ok(['read-tree', head], call);
	await git.run(['update-index', '-q', '--refresh'], call); // exit 1 says that something differs
	const edited = splitNul(await git.ok(['diff-index', '-z', '--name-only', '--no-renames', head], call));
	const others = splitNul(await git.ok(['ls-files', '-z', '--others', '--exclude-standard'], call));
	const ignored = await ignoredByUser(git, seed, others);
	return [...edited, ...others.filter((path) => !ignored.has(path))].map(display);
}

/** False when the index cannot be used on its own (a split index, none at all): then every file is read instead. */
async function copyIndex(
	repository: Repository,
	seed: { readonly gitDir: string },
	indexFile: string,
): Promise<boolean> {
	const { git, scratch } = repository;
	const source = await git.line(['rev-parse', '--path-format=absolute', '--git-path', 'index'], {
		gitDir: seed.gitDir,
	});
	try {
		const { atime, mtime } = await stat(source);
		await copyFile(source, indexFile);
		await utimes(indexFile, atime, mtime);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
		throw error;
	}
	const readable = await git.run(['ls-files', '-z', '--cached'], { gitDir: scratch.gitDir, indexFile, durable: false });
	if (readable.exitCode !== 0) await rm(indexFile);
	return readable.exitCode === 0;
}

/** By the user's global rules and the seed's private ones; when Git cannot say under their settings, by none. */
async function ignoredByUser(
	git: GitRunner,
	seed: { readonly path: string; readonly gitDir: string },
	paths: readonly PathBytes[],
): Promise<ReadonlySet<PathBytes>> {
	if (paths.length === 0) return new Set();
	const answer = await git.run(['check-ignore', '-z', '--stdin'], {
		gitDir: seed.gitDir,
		workTree: seed.path,
		asUser: true,
		stdin: toBytes(paths.map((path) => `${path}\0`).join('')),
	});
	return new Set(answer.exitCode <= 1 ? splitNul(answer.stdout) : []);
}

/** One commit on the seed's HEAD with its uncommitted files as they lie there. */
export async function takeUncommitted(
	repository: Repository,
	o: {
		readonly seed: { readonly path: string };
		readonly head: string;
		readonly uncommitted: readonly string[];
		readonly allowSecrets: boolean;
	},
): Promise<string> {
	refuseSecrets(o.uncommitted, o.allowSecrets);
	refuseStateFiles(o.uncommitted.filter((path) => path !== memoryPath));
	const nested = o.uncommitted.filter((path) => path.endsWith('/'));
	if (nested.length > 0) {
		throw seedError('SEED_SUBMODULES', `${nested[0]} is a repository of its own`, 'Remove or ignore it.', {
			paths: nested,
		});
	}
	const files = [];
	for (const path of o.uncommitted) {
		const absolute = absolutePath(o.seed.path, fromText(path));
		const found = await lstat(absolute).catch(() => null); // deleted: it is then left out
		if (found?.isSymbolicLink()) {
			const bytes = await readlink(absolute, { encoding: 'buffer' });
			files.push({ path, mode: '120000' as const, bytes });
		} else if (found?.isFile()) {
			const mode = (found.mode & 0o111) === 0 ? ('100644' as const) : ('100755' as const);
			files.push({ path, mode, bytes: await readFile(absolute) });
		}
	}
	const { tree } = await repository.objects.readCommit(o.head);
	const next = await treeWithFiles(repository, { tree, files, replaceFolders: o.uncommitted });
	return commitTree(repository, { tree: next, parent: o.head, message: 'Uncommitted files of the seed\n' });
}
