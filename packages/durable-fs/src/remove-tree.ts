import { readdir, rename, rm } from 'node:fs/promises';
import { errnoOf, writeFailed } from './errors.ts';

/**
 * Removes a folder and everything in it, also what `rm` cannot: a hostile program can nest folders deeper than any
 * path may be long. Links are removed, not followed. A missing folder is fine. Throws `WRITE_FAILED`. Only for folders
 * that the caller has made itself.
 */
export async function removeTree(folder: string): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true });
	} catch (error) {
		if (errnoOf(error) !== 'ENAMETOOLONG') throw writeFailed(folder, 'removed', error);
		await flatten(folder);
		await rm(folder, { recursive: true, force: true }).catch((cause) => {
			throw writeFailed(folder, 'removed', cause);
		});
	}
}

/** Moves every folder below to the top, so that no path is long any more. */
async function flatten(folder: string): Promise<void> {
	const top = Buffer.from(folder);
	const queue = await foldersIn(top);
	for (let name = queue.shift(), moved = 0; name !== undefined; name = queue.shift()) {
		for (const below of await foldersIn(within(top, name))) {
			const flat = Buffer.from(`.kapso-flat-${moved++}`);
			await rename(within(top, name, below), within(top, flat));
			queue.push(flat);
		}
	}
}

async function foldersIn(folder: Buffer): Promise<Buffer[]> {
	const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
	return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** Names as bytes: they need not be UTF-8. */
function within(...parts: readonly Buffer[]): Buffer {
	return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from('/'), part])));
}
