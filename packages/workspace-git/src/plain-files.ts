import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { treePathPolicy } from './candidate-tree.ts';
import { asText, display, type PathBytes } from './git/path-bytes.ts';
import { updateIndex } from './index-info.ts';
import type { Repository } from './repository.ts';
import { linkProblem, type PathProblem, pathProblems } from './tree-policy.ts';

/** A file or link of a tree that may lie in a plain folder: its name is UTF-8 and the same file on every system. */
export interface PlainFile {
	readonly path: PathBytes;
	/** `100644`, `100755` or `120000`. */
	readonly mode: string;
	readonly id: string;
	/** Bytes of the blob. */
	readonly size: number;
}

/** What a plain folder of a commit (or a tree) holds. Throws `TREE_PATH_POLICY` for what no folder can hold safely. */
export async function listPlainFiles(
	{ objects }: Pick<Repository, 'objects'>,
	source: string,
	exclude: ((path: string) => boolean) | undefined,
): Promise<PlainFile[]> {
	const wanted = (await objects.listTree(source))
		.map(({ path, mode, id, size }) => ({ path: path.toString('latin1'), mode, id, size }))
		.filter(({ path }) => !exclude?.(display(path)));
	const problems: PathProblem[] = pathProblems(wanted);
	for (const { path, mode, id } of wanted) {
		if (mode !== '120000') continue;
		const target = (await objects.readBlob(id)).toString('latin1');
		const reason =
			asText(target) === null ? 'a link to a name that is not UTF-8' : linkProblem(display(path), display(target));
		if (reason !== null) problems.push({ path: display(path), reason });
	}
	if (problems.length > 0) throw treePathPolicy(problems);
	return wanted;
}

/** Writes files into an empty folder: no conversion, modes 644 and 755 as the umask leaves them. */
export async function writePlainFiles(
	{ git, scratch }: Pick<Repository, 'git' | 'scratch'>,
	to: string,
	files: readonly PlainFile[],
): Promise<void> {
	if (files.length === 0) return;
	const folder = await mkdtemp(join(scratch.folder, 'tree-'));
	try {
		const call = { gitDir: scratch.gitDir, workTree: to, indexFile: join(folder, 'index'), durable: false };
		await updateIndex(git, call, files);
		await git.ok(['checkout-index', '--all', '--quiet'], { ...call, mayOverwrite: 'the folder is empty' });
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
