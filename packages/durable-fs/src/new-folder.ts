import { lstat, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { errnoOf } from './errors.ts';
import { writeAll } from './write-file.ts';

/** Makes a folder, or takes an existing empty one: only in a folder of our own making is a plain path safe. */
export async function createEmptyFolder(path: string): Promise<void> {
	try {
		await mkdir(path, { recursive: true });
		if ((await lstat(path)).isDirectory() && (await readdir(path)).length === 0) return;
	} catch (error) {
		if (errnoOf(error) !== 'EEXIST' && errnoOf(error) !== 'ENOTDIR') throw error;
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
