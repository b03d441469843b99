import { lstat, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { errnoOf, writeFailed } from './errors.ts';
import { removeTree } from './remove-tree.ts';
import { writeAll } from './write-file.ts';

/**
 * Fills a folder that does not exist or is empty: only in one of our own making is a plain path safe. When `fill`
 * fails, the folder is left empty. Throws `FOLDER_NOT_EMPTY`, and `WRITE_FAILED` for what the disk refused.
 */
export async function fillNewFolder<T>(path: string, fill: () => Promise<T>): Promise<T> {
	await createEmptyFolder(path);
	try {
		return await fill();
	} catch (error) {
		for (const name of await readdir(path)) await removeTree(join(path, name));
		throw KapsoError.isInstance(error) ? error : writeFailed(path, 'filled', error);
	}
}

async function createEmptyFolder(path: string): Promise<void> {
	try {
		await mkdir(path, { recursive: true });
		if ((await lstat(path)).isDirectory() && (await readdir(path)).length === 0) return;
	} catch (error) {
		if (errnoOf(error) !== 'EEXIST' && errnoOf(error) !== 'ENOTDIR') throw writeFailed(path, 'created', error);
	}
	throw new KapsoError({
		code: 'FOLDER_NOT_EMPTY',
		category: 'usage',
		message: `${path} is not an empty folder.`,
		hint: 'Nothing was copied. Name a folder that does not exist yet.',
		data: { path },
	});
}

export interface NewFile {
	write(bytes: Uint8Array): Promise<void>;
	close(): Promise<void>;
}

/** A new file at a relative path of a folder that we made; never an existing one. */
export async function createFileIn(folder: string, path: string, mode: 0o644 | 0o755): Promise<NewFile> {
	const target = join(folder, path);
	await mkdir(dirname(target), { recursive: true });
	const handle = await open(target, 'wx', mode);
	await handle.chmod(mode); // the umask took its part from the mode above
	return { write: (bytes) => writeAll(handle, bytes), close: () => handle.close() };
}
