import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf, fileProblem } from './errors.ts';

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

/** For `open`: the last part of the path is not followed, and neither a pipe nor a terminal can hold us. */
export const carefully = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/**
 * Opens a regular file, whatever else may lie there. The check is on what was opened, so nothing can be exchanged in
 * between. Throws `FILE_MISSING` or `FILE_KIND`; other errors (rights, disk) pass through as they are.
 */
export async function openRegularFile(path: string, flags: number, mode?: number): Promise<FileHandle> {
	let handle: FileHandle;
	try {
		handle = await open(path, flags | carefully, mode);
	} catch (error) {
		const errno = errnoOf(error);
		if (errno === 'ENOENT' || errno === 'ENOTDIR') throw fileProblem('FILE_MISSING', path, 'does not exist', error);
		if (errno === 'ELOOP' || errno === 'EMLINK') throw fileProblem('FILE_KIND', path, 'is a link', error);
		if (errno === 'EISDIR') throw fileProblem('FILE_KIND', path, 'is a folder', error);
		if (errno === 'ENXIO' || errno === 'ENODEV') throw fileProblem('FILE_KIND', path, 'is no regular file', error);
		throw error;
	}
	try {
		if ((await handle.stat()).isFile()) return handle;
		throw fileProblem('FILE_KIND', path, 'is no regular file');
	} catch (error) {
		await handle.close();
		throw error;
	}
}
