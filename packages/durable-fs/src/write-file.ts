import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, fileProblem, writeFailed } from './errors.ts';
import { syncFolder } from './folders.ts';
import { temporaryName } from './temporary-name.ts';

export interface WriteOptions {
	/** Rights of the new file. Default 0o600. */
	readonly mode?: number;
	/**
	 * Default true. False leaves out the sync of the folder: after a power cut the old file may be back, complete. For
	 * files that can be made again and are replaced often.
	 */
	readonly syncName?: boolean;
}

/**
 * Replaces a file so that at every instant of a `kill -9` or a power cut either the old bytes or the new ones are
 * there, complete. When this returns, the new ones are on the disk. A link at `path` is replaced, not followed.
 * Throws `WRITE_FAILED` (`infrastructure`): the old file is intact and the temporary one gone.
 */
export async function writeFileDurable(
	path: string,
	data: string | Uint8Array,
	options: WriteOptions = {},
): Promise<void> {
	await throughTemporary(path, data, options, (temporary) => rename(temporary, path));
}

/** The same for a file that must not exist yet, decided atomically between any number of writers: `FILE_EXISTS`. */
export async function createFileDurable(
	path: string,
	data: string | Uint8Array,
	options: WriteOptions = {},
): Promise<void> {
	await throughTemporary(path, data, options, async (temporary) => {
		await link(temporary, path);
		await forget(temporary);
	});
}

async function throughTemporary(
	path: string,
	data: string | Uint8Array,
	options: WriteOptions,
	publish: (temporary: string) => Promise<void>,
): Promise<void> {
	const folder = dirname(path);
	const temporary = join(folder, temporaryName());
	try {
		await writeAndSync(temporary, typeof data === 'string' ? Buffer.from(data) : data, options.mode ?? 0o600);
		await publish(temporary);
	} catch (error) {
		await forget(temporary);
		if (errnoOf(error) === 'EEXIST') throw fileProblem('FILE_EXISTS', path, 'exists already', error);
		throw writeFailed(path, 'written', error);
	}
	if (options.syncName !== false) await syncFolder(folder);
}

async function forget(temporary: string): Promise<void> {
	await rm(temporary, { force: true }).catch(() => {}); // what cannot be removed now, the sweep removes later
}

async function writeAndSync(path: string, bytes: Uint8Array, mode: number): Promise<void> {
	await using handle = await open(path, 'wx', mode);
	if ((mode & 0o077) !== 0) await handle.chmod(mode); // the umask took its part from the mode above
	await writeAll(handle, bytes);
	await handle.sync();
}

/** Writes every byte. A full disk or a limit shows as a short write first; only the next one fails. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
	for (let done = 0; done < bytes.length; ) {
		const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, null);
		if (bytesWritten === 0) throw new Error(`no byte of the remaining ${bytes.length - done} was taken`);
		done += bytesWritten;
	}
}
