import { lstat, readFile, readlink } from 'node:fs/promises';
import { commitTree } from './finalise.ts';
import { absolutePath, display, fromText, splitNul } from './git/path-bytes.ts';
import { type GitRunner, gitFailed } from './git/runner.ts';
import type { Repository } from './repository.ts';
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
	const problems = pathProblems(names).filter(({ reason }) => !reason.startsWith(twinReason));
	if (problems.length === 0) return;
	throw seedError(
		'SEED_PATHS',
		`the seed has names that a candidate cannot carry: ${problems[0]!.path} (${problems[0]!.reason})`,
		'Rename them in a commit of the seed.',
		{ paths: problems.map(({ path }) => path), problems },
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

/** Files of the seed's work tree that differ from its HEAD or are untracked, by the user's own rules. Read-only. */
export async function listUncommitted(
	git: GitRunner,
	seed: { readonly path: string; readonly gitDir: string },
): Promise<string[]> {
	const argv = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'];
	const answer = await git.run(argv, { gitDir: seed.gitDir, workTree: seed.path, asUser: true });
	if (answer.exitCode !== 0) throw gitFailed(argv, answer);
	return splitNul(answer.stdout).map((line) => display(line.slice(3)));
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
	const nested = o.uncommitted.filter((path) => path.endsWith('/'));
	if (nested.length > 0) {
		throw seedError('SEED_SUBMODULES', `${nested[0]} is a repository of its own`, 'Remove or ignore it.', {
			paths: nested,
		});
	}
	const files = [];
	for (const path of o.uncommitted) {
		const absolute = absolutePath(o.seed.path, fromText(path));
		const stat = await lstat(absolute).catch(() => null); // deleted: it is then left out
		if (stat?.isSymbolicLink()) {
			const bytes = await readlink(absolute, { encoding: 'buffer' });
			files.push({ path, mode: '120000' as const, bytes });
		} else if (stat?.isFile()) {
			const mode = (stat.mode & 0o111) === 0 ? ('100644' as const) : ('100755' as const);
			files.push({ path, mode, bytes: await readFile(absolute) });
		}
	}
	const { tree } = await repository.objects.readCommit(o.head);
	const next = await treeWithFiles(repository, { tree, files, replaceFolders: o.uncommitted });
	return commitTree(repository, { tree: next, parent: o.head, message: 'Uncommitted files of the seed\n' });
}
