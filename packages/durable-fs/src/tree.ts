import { createHash } from 'node:crypto';
import { canonicalJson, sha256 } from '@kapso-evolve/contracts';
import { fileBytes } from './file-bytes.ts';
import { createFileIn, fillNewFolder } from './new-folder.ts';
import { tooLarge, type WalkedFile, walkTree } from './walk-tree.ts';

export interface HashedEntry {
	/** Relative, `/`-separated. */
	readonly path: string;
	/** Executable for its owner or not: all that Git keeps, too. */
	readonly mode: '100644' | '100755';
	readonly size: number;
	/** Of the bytes. */
	readonly sha256: string;
}

export interface HashedTree {
	/** Byte order of the paths. Empty folders do not exist here. */
	readonly entries: readonly HashedEntry[];
	/** SHA-256 of the canonical JSON of the entries without their sizes. */
	readonly digest: string;
}

export interface TreeLimits {
	/** Files and folders together. */
	readonly maxFiles?: number;
	readonly maxBytes?: number;
}

/**
 * Fingerprints every file below a folder, reading each in small chunks. Throws `TREE_ENTRY_KIND` for anything but
 * folders and regular files, `TREE_TOO_LARGE`, `FILE_MISSING`, `FILE_KIND` (`folder` itself is a link or a file).
 */
export function hashTree(folder: string, limits: TreeLimits = {}): Promise<HashedTree> {
	return collect(folder, limits, async () => null);
}

/**
 * Copies the regular files of a folder, byte by byte and never as links, into a new (or empty) one, with modes 0644 and
 * 0755. The digest is that of the bytes which were written: a source that changes meanwhile cannot make it lie.
 * On any error `to` is left empty. Throws what `hashTree` throws, `FOLDER_NOT_EMPTY` and `WRITE_FAILED`.
 */
export function copyTree(options: { readonly from: string; readonly to: string }): Promise<HashedTree> {
	const { from, to } = options;
	return fillNewFolder(to, () =>
		collect(from, {}, (file) => createFileIn(to, file.path, isExecutable(file) ? 0o755 : 0o644)),
	);
}

type Target = Awaited<ReturnType<typeof createFileIn>> | null;

async function collect(
	folder: string,
	limits: TreeLimits,
	openTarget: (file: WalkedFile) => Promise<Target>,
): Promise<HashedTree> {
	const { maxFiles, maxBytes = Infinity } = limits;
	const entries: HashedEntry[] = [];
	let total = 0;
	const visit = async (file: WalkedFile): Promise<void> => {
		const hash = createHash('sha256');
		let size = 0;
		const target = await openTarget(file);
		try {
			for await (const chunk of fileBytes(file.handle)) {
				size += chunk.length;
				total += chunk.length;
				if (total > maxBytes) throw tooLarge(folder, file.path, `its files have more than ${maxBytes} bytes`);
				hash.update(chunk);
				await target?.write(chunk);
			}
		} finally {
			await target?.close();
		}
		entries.push({
			path: file.path,
			mode: isExecutable(file) ? '100755' : '100644',
			size,
			sha256: hash.digest('hex'),
		});
	};
	await walkTree(folder, visit, maxFiles === undefined ? {} : { maxEntries: maxFiles });
	entries.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
	return { entries, digest: sha256(canonicalJson(entries.map(({ size: _, ...entry }) => entry))) };
}

function isExecutable(file: WalkedFile): boolean {
	return (file.stat.mode & 0o100n) !== 0n;
}
