import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { fileBytes } from './file-bytes.ts';
import { createEmptyFolder, createFileIn } from './new-folder.ts';
import { refused, type WalkedFile, walkTree } from './walk-tree.ts';

export interface CopyOutputsOptions {
	/** Where a hostile program wrote. It must be dead. */
	readonly from: string;
	/** New or empty. */
	readonly to: string;
	/** Over all files, counted as read: the hole in a sparse file counts like any other byte. */
	readonly maxBytes: number;
	/** Files and folders together. */
	readonly maxFiles: number;
}

export type CopiedOutputs =
	| { readonly ok: true; readonly files: number; readonly bytes: number }
	| { readonly ok: false; readonly code: 'OUTPUT_KIND'; readonly path: string; readonly reason: string };

/**
 * Carries what one phase wrote over to the next: regular files that have no second name, within the caps, as bytes in
 * new files. For anything else nothing is carried over, `to` is left empty, and the answer says which path and why.
 */
export async function copyOutputs(options: CopyOutputsOptions): Promise<CopiedOutputs> {
	const { from, to, maxBytes, maxFiles } = options;
	await createEmptyFolder(to);
	let files = 0;
	let bytes = 0;
	const visit = async ({ path, handle, stat }: WalkedFile): Promise<void> => {
		if (stat.nlink !== 1n) throw refused(path, `it has ${stat.nlink} names (hard links)`);
		const tooLarge = () => refused(path, `the files are larger than ${maxBytes} bytes together`);
		if (stat.size > BigInt(maxBytes - bytes)) throw tooLarge();
		const target = await createFileIn(to, path, (stat.mode & 0o100n) === 0n ? 0o644 : 0o755);
		try {
			for await (const chunk of fileBytes(handle)) {
				bytes += chunk.length;
				if (bytes > maxBytes) throw tooLarge();
				await target.write(chunk);
			}
		} finally {
			await target.close();
		}
		files += 1;
	};
	try {
		await walkTree(from, visit, { maxEntries: maxFiles });
		return { ok: true, files, bytes };
	} catch (error) {
		for (const name of await readdir(to)) await rm(join(to, name), { recursive: true, force: true });
		if (!KapsoError.isInstance(error) || error.code !== 'TREE_ENTRY_KIND') throw error;
		const { path, reason } = error.data as { path: string; reason: string };
		return { ok: false, code: 'OUTPUT_KIND', path, reason };
	}
}
