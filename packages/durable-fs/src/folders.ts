import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errnoOf, fileProblem, writeFailed } from './errors.ts';

/** Makes the names in a folder durable: what was created, renamed or removed there survives a power cut. */
export async function syncFolder(path: string): Promise<void> {
	if (process.platform === 'win32') return; // a folder cannot be opened there, and NTFS journals its names
	try {
		await using handle = await open(path, 'r');
		await handle.sync();
	} catch (error) {
		// Some network and FUSE file systems have no such call; anything else is a disk that lies.
		if (errnoOf(error) !== 'EINVAL' && errnoOf(error) !== 'ENOTSUP') throw writeFailed(path, 'synced', error);
	}
}

/** `mkdir -p`, every new name synced. Throws `FILE_KIND` when something else than a folder is in the way. */
export async function ensureFolder(folder: string): Promise<void> {
	const path = resolve(folder);
	let first: string | undefined;
	try {
		first = await mkdir(path, { recursive: true });
	} catch (error) {
		if (errnoOf(error) === 'EEXIST' || errnoOf(error) === 'ENOTDIR') {
			throw fileProblem('FILE_KIND', path, 'cannot be a folder: a file is in the way', error);
		}
		throw writeFailed(path, 'created', error);
	}
	if (first === undefined) return;
	for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}
