import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { writeFailed } from './errors.ts';
import { syncFolder } from './folders.ts';
import { openRegularFile } from './open-no-follow.ts';

/** A file of complete lines that only grows. One process writes it; a lock sees to that. */
export interface AppendLog {
	/** Bytes of an unfinished last line that were cut off when it was opened. */
	readonly tornBytes: number;
	/** The complete lines as they were when it was opened, without their line feeds. */
	readonly lines: readonly string[];
	/**
	 * Adds one line by one write; on return it is on the disk. Lines keep the order of the calls. Throws
	 * `WRITE_FAILED`; after that the log takes no further line until it is opened again.
	 */
	append(line: string): Promise<void>;
	close(): Promise<void>;
}

export interface CompleteLines {
	readonly lines: string[];
	/** Bytes after the last line feed: a line that a crash interrupted. */
	readonly tornBytes: number;
}

const lineFeed = 0x0a;

/** Opens or creates a log and cuts off what a crash left unfinished. Throws `FILE_KIND`, `WRITE_FAILED`. */
export async function openAppendLog(path: string): Promise<AppendLog> {
	const { O_RDWR, O_APPEND, O_CREAT } = constants;
	const handle = await openRegularFile(path, O_RDWR | O_APPEND | O_CREAT, 0o600);
	try {
		const bytes = await handle.readFile();
		const { lines, tornBytes } = splitLines(bytes);
		const size = bytes.length - tornBytes;
		if (tornBytes > 0) {
			await handle.truncate(size);
			await handle.sync();
		}
		if (size === 0) await syncFolder(dirname(path)); // perhaps just created: its name must last as well
		return appendLog(path, handle, size, { lines, tornBytes });
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** The complete lines of a log, read without the right to write it. Throws `FILE_MISSING`, `FILE_KIND`. */
export async function readCompleteLines(path: string): Promise<CompleteLines> {
	await using handle = await openRegularFile(path, constants.O_RDONLY);
	return splitLines(await handle.readFile());
}

function appendLog(path: string, handle: FileHandle, openedSize: number, opened: CompleteLines): AppendLog {
	let size = openedSize;
	let broken: unknown = null;
	let last: Promise<void> = Promise.resolve();

	const write = async (line: string): Promise<void> => {
		if (broken !== null) throw writeFailed(path, 'extended, because an earlier line failed', broken);
		const bytes = Buffer.from(`${line}\n`);
		try {
			const { bytesWritten } = await handle.write(bytes, 0, bytes.length, null);
			if (bytesWritten !== bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were taken`);
			await handle.datasync();
			size += bytes.length;
		} catch (error) {
			broken = error; // after a failed sync the kernel may have dropped the bytes: trying again would prove nothing
			await handle.truncate(size).catch(() => {}); // else the next open cuts it off
			throw writeFailed(path, 'extended', error);
		}
	};
	return {
		...opened,
		append(line) {
			if (line.includes('\n')) return Promise.reject(lineBreak(path));
			const mine = last.then(() => write(line));
			last = mine.catch(() => {}); // each caller hears of its own line
			return mine;
		},
		async close() {
			await last;
			await handle.close();
		},
	};
}

function splitLines(bytes: Buffer): CompleteLines {
	const end = bytes.lastIndexOf(lineFeed) + 1;
	const lines = end === 0 ? [] : bytes.toString('utf8', 0, end - 1).split('\n');
	return { lines, tornBytes: bytes.length - end };
}

function lineBreak(path: string): KapsoError {
	return new KapsoError({
		code: 'LINE_BREAK',
		category: 'usage',
		message: `A line for ${path} contains a line feed.`,
		hint: 'Nothing was written. Encode the line, for instance as JSON.',
		data: { path },
	});
}
