import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolderProver } from './folder-prover.ts';
import { listPlainFiles, type PlainFile, writePlainFiles } from './plain-files.ts';
import type { Repository } from './repository.ts';
import { applyTreeChange, type TreeChange, treeChange } from './tree-change.ts';

export interface LeaseTreeOptions {
	/** Paths that are not in the folder, seen from the root of the tree. */
	readonly exclude?: (path: string) => boolean;
	/**
	 * Written for this lease alone and removed after it. Required wherever something can write into the folder: a pooled
	 * one is for readers that see it through a read-only mount.
	 */
	readonly fresh?: boolean;
}

/** A plain folder of a commit for as long as it is held. Disposing gives it back. */
export interface LeasedTree extends AsyncDisposable {
	readonly path: string;
}

/**
 * Folders that are not thrown away: the next tree is reached by writing the difference, and then every name, mode and
 * byte is read again and compared with Git's ids. A folder of which anything is in doubt is replaced by a fresh one.
 */
export interface TreePool {
	lease(source: string, options: LeaseTreeOptions): Promise<LeasedTree>;
	close(): Promise<void>;
}

interface PooledFolder {
	readonly path: string;
	readonly files: readonly PlainFile[];
}

/** Above these a fresh folder, which Git writes with several workers and without our memory, is cheaper. */
const mostChangedShare = 0.5;
const mostChangedBytes = 64 * 1024 * 1024;

export function createTreePool(repository: Repository): TreePool {
	const { objects, scratch } = repository;
	const prover = createFolderProver(repository.objectFormat);
	const idle: PooledFolder[] = [];

	const writeFresh = async (files: readonly PlainFile[]): Promise<PooledFolder> => {
		const path = join(scratch.folder, 'trees', crypto.randomUUID());
		await mkdir(path, { recursive: true });
		try {
			await writePlainFiles(repository, path, files);
		} catch (error) {
			await scratch.trash.discard(path);
			throw error;
		}
		return { path, files };
	};

	/** Null: it could not be brought to these files, or not proven to be there. */
	const reuse = async (folder: PooledFolder, files: readonly PlainFile[]): Promise<PooledFolder | null> => {
		try {
			const change = treeChange(folder.files, files);
			if (!isCheap(change, files)) return null;
			await applyTreeChange(objects, folder.path, change);
			return (await prover.difference(folder.path, files)) === null ? { path: folder.path, files } : null;
		} catch {
			return null; // whatever went wrong, the answer is a fresh folder; what is wrong with the disk shows there
		}
	};

	const obtain = async (files: readonly PlainFile[]): Promise<PooledFolder> => {
		const before = idle.pop();
		if (before === undefined) return writeFresh(files);
		const reused = await reuse(before, files);
		if (reused !== null) return reused;
		await scratch.trash.discard(before.path);
		return writeFresh(files);
	};

	return {
		async lease(source, { exclude, fresh = false }) {
			const files = await listPlainFiles(repository, source, exclude);
			const folder = fresh ? await writeFresh(files) : await obtain(files);
			let given: Promise<void> | undefined;
			const giveBack = async () => {
				if (fresh) await scratch.trash.discard(folder.path);
				else idle.push(folder);
			};
			return { path: folder.path, [Symbol.asyncDispose]: () => (given ??= giveBack()) };
		},
		close: () => prover.close(),
	};
}

function isCheap({ remove, write }: TreeChange, files: readonly PlainFile[]): boolean {
	const bytes = write.reduce((sum, { size }) => sum + size, 0);
	return (
		Math.max(remove.length, write.length) <= Math.max(files.length * mostChangedShare, 16) && bytes <= mostChangedBytes
	);
}
