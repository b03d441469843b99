import { KapsoError } from '@kapso-evolve/contracts';
import { fileBytes } from './file-bytes.ts';
import { createFileIn, fillNewFolder } from './new-folder.ts';
import { refused, tooLarge, type WalkedFile, walkTree } from './walk-tree.ts';

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

const verdicts = ['TREE_ENTRY_KIND', 'TREE_TOO_LARGE'];

/**
 * Carries what one phase wrote over to the next: regular files that have no second name, within the caps, as bytes in
 * new files. For anything else nothing is carried over, `to` is left empty, and the answer says which path and why.
 * Throws `FILE_MISSING` and `FILE_KIND` for `from` itself, `FOLDER_NOT_EMPTY` and `WRITE_FAILED` for `to`.
 */
export async function copyOutputs(options: CopyOutputsOptions): Promise<CopiedOutputs> {
	const { from, to, maxBytes, maxFiles } = options;
	let files = 0;
	let bytes = 0;
	const visit = async ({ path, handle, stat }: WalkedFile): Promise<void> => {
		if (stat.nlink !== 1n) throw refused(path, `it has ${stat.nlink} names (hard links)`);
		const overflow = () => tooLarge(from, path, `the files have more than ${maxBytes} bytes together`);
		if (stat.size > BigInt(maxBytes - bytes)) throw overflow();
		const target = await createFileIn(to, path, (stat.mode & 0o100n) === 0n ? 0o644 : 0o755);
		try {
			for await (const chunk of fileBytes(handle)) {
				bytes += chunk.length;
				if (bytes > maxBytes) throw overflow();
				await target.write(chunk);
			}
		} finally {
			await target.close();
		}
		files += 1;
	};
	try {
		await fillNewFolder(to, () => walkTree(from, visit, { maxEntries: maxFiles }));
		return { ok: true, files, bytes };
	} catch (error) {
		if (!KapsoError.isInstance(error) || !verdicts.includes(error.code)) throw error;
		const { path, reason } = error.data as { path: string; reason: string };
		return { ok: false, code: 'OUTPUT_KIND', path, reason };
	}
}
