import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromText } from './git/path-bytes.ts';
import { updateIndex } from './index-info.ts';
import type { Repository } from './repository.ts';

export interface NewFile {
	readonly path: string;
	readonly mode: '100644' | '100755';
	readonly bytes: Uint8Array;
}

/** `120000`: a link, its bytes are the target. */
type TreeFile = Omit<NewFile, 'mode'> & { readonly mode: NewFile['mode'] | '120000' };

/** A tree with these files in it; `replaceFolders` hold nothing but what `files` says. Objects stay in the scratch. */
export async function treeWithFiles(
	repository: Repository,
	o: { readonly tree: string; readonly files: readonly TreeFile[]; readonly replaceFolders: readonly string[] },
): Promise<string> {
	const { git, scratch } = repository;
	const folder = await mkdtemp(join(scratch.folder, 'files-'));
	try {
		const call = { gitDir: scratch.gitDir, indexFile: join(folder, 'index'), durable: false };
		await git.ok(['read-tree', o.tree], call);
		const replaced = (await repository.objects.listTree(o.tree))
			.filter(({ path }) => o.replaceFolders.some((name) => isBelow(path.toString('utf8'), name)))
			.map(({ path, id }) => ({ path: path.toString('latin1'), mode: '0', id: '0'.repeat(id.length) }));
		const paths = o.files.map((_, number) => join(folder, String(number)));
		for (const [number, file] of o.files.entries()) await writeFile(paths[number]!, file.bytes);
		const output = await git.ok(['hash-object', '-w', '--no-filters', '--stdin-paths'], {
			...call,
			stdin: paths.map((path) => `${path}\n`).join(''),
		});
		const ids = output.toString('latin1').split('\n');
		const added = o.files.map(({ path, mode }, number) => ({ path: fromText(path), mode, id: ids[number]! }));
		await updateIndex(git, call, [...replaced, ...added]);
		return await git.line(['write-tree'], call);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function isBelow(path: string, folder: string): boolean {
	return path === folder || path.startsWith(`${folder.replace(/\/+$/, '')}/`);
}
