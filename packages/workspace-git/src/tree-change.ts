import { lstat, mkdir, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { absolutePath, type PathBytes } from './git/path-bytes.ts';
import type { GitObjectReader } from './object-reader.ts';
import type { PlainFile } from './plain-files.ts';

export interface TreeChange {
	/** Old files that go, the ones that are written again included. */
	readonly remove: readonly PathBytes[];
	readonly write: readonly PlainFile[];
}

export function treeChange(from: readonly PlainFile[], to: readonly PlainFile[]): TreeChange {
	const key = ({ mode, id }: PlainFile) => `${mode} ${id}`;
	const before = new Map(from.map((file) => [file.path, key(file)]));
	const after = new Map(to.map((file) => [file.path, key(file)]));
	return {
		remove: from.filter((file) => after.get(file.path) !== key(file)).map(({ path }) => path),
		write: to.filter((file) => before.get(file.path) !== key(file)),
	};
}

const atOnce = 32;

/** Carries a change out. No byte goes through a link: every folder on the way is looked at first. Throws on any doubt. */
export async function applyTreeChange(
	objects: Pick<GitObjectReader, 'readBlob'>,
	folder: string,
	{ remove, write }: TreeChange,
): Promise<void> {
	const checked = new Set<PathBytes>();
	for (const path of remove) for (const parent of parentsOf(path)) await checkFolder(folder, parent, checked);
	for (let at = 0; at < remove.length; at += atOnce) {
		await Promise.all(remove.slice(at, at + atOnce).map((path) => unlink(absolutePath(folder, path))));
	}
	await removeEmptyFolders(folder, new Set(remove.flatMap(parentsOf)));

	const folders = [...new Set(write.flatMap(({ path }) => parentsOf(path)))].sort();
	for (const path of folders) {
		await mkdir(absolutePath(folder, path)).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== 'EEXIST') throw error;
		});
		await checkFolder(folder, path, checked);
	}
	for (let at = 0; at < write.length; at += atOnce) {
		await Promise.all(write.slice(at, at + atOnce).map((file) => writeBlob(objects, folder, file)));
	}
}

async function writeBlob(
	objects: Pick<GitObjectReader, 'readBlob'>,
	folder: string,
	{ path, mode, id }: PlainFile,
): Promise<void> {
	const to = absolutePath(folder, path);
	const bytes = await objects.readBlob(id);
	if (mode === '120000') await symlink(bytes, to);
	else await writeFile(to, bytes, { flag: 'wx', mode: mode === '100755' ? 0o777 : 0o666 });
}

/** From the outermost to the innermost. */
function parentsOf(path: PathBytes): PathBytes[] {
	const parents: PathBytes[] = [];
	for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
		parents.push(path.slice(0, slash));
	}
	return parents;
}

async function checkFolder(folder: string, path: PathBytes, checked: Set<PathBytes>): Promise<void> {
	if (checked.has(path)) return;
	if (!(await lstat(absolutePath(folder, path))).isDirectory()) throw new Error(`${path} is not a folder any more`);
	checked.add(path);
}

async function removeEmptyFolders(folder: string, candidates: ReadonlySet<PathBytes>): Promise<void> {
	for (const path of [...candidates].sort().reverse()) {
		await rmdir(absolutePath(folder, path)).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
		});
	}
}
