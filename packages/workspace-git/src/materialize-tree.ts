import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { treePathPolicy } from './candidate-tree.ts';
import { asText, display } from './git/path-bytes.ts';
import { updateIndex } from './index-info.ts';
import type { Repository } from './repository.ts';
import { linkProblem, type PathProblem, pathProblems } from './tree-policy.ts';

export interface MaterializeTreeOptions {
	/** Absolute; absent or empty. */
	readonly to: string;
	/** Paths that are not written, seen from the root of the tree. */
	readonly exclude?: (path: string) => boolean;
}

/**
 * Writes a commit (or a tree) as a plain folder, from its blobs: no `.git`, no conversion, modes 644 and 755. What the
 * folder could not hold unchanged on every system is refused before anything is written: `TREE_PATH_POLICY`.
 */
export async function materializeTree(
	repository: Repository,
	source: string,
	options: MaterializeTreeOptions,
): Promise<void> {
	const { git, scratch, objects } = repository;
	const wanted = (await objects.listTree(source))
		.map(({ path, mode, id }) => ({ path: path.toString('latin1'), mode, id }))
		.filter(({ path }) => !options.exclude?.(display(path)));
	const problems: PathProblem[] = pathProblems(wanted);
	for (const { path, mode, id } of wanted) {
		if (mode !== '120000') continue;
		const target = (await objects.readBlob(id)).toString('latin1');
		const reason =
			asText(target) === null ? 'a link to a name that is not UTF-8' : linkProblem(display(path), display(target));
		if (reason !== null) problems.push({ path: display(path), reason });
	}
	if (problems.length > 0) throw treePathPolicy(problems);
	await mkdir(options.to, { recursive: true });
	if ((await readdir(options.to)).length > 0) {
		throw new KapsoError({
			code: 'FOLDER_NOT_EMPTY',
			category: 'infrastructure',
			message: `${options.to} is not empty: a tree is written into a fresh folder only`,
			hint: 'Give every evaluation a folder of its own.',
			data: { folder: options.to },
		});
	}
	if (wanted.length === 0) return;
	const folder = await mkdtemp(join(scratch.folder, 'tree-'));
	try {
		const call = { gitDir: scratch.gitDir, workTree: options.to, indexFile: join(folder, 'index'), durable: false };
		await updateIndex(git, call, wanted);
		await git.ok(['checkout-index', '--all', '--quiet'], { ...call, mayOverwrite: 'the folder is empty' });
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
