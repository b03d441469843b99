import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { absolutePath, type PathBytes } from './git/path-bytes.ts';

export interface WalkedFile {
	readonly path: PathBytes;
	readonly kind: 'file' | 'link' | 'special';
}

export interface WalkedFolder {
	/** Everything that is not a folder, in no particular order; nothing below a `.git`. */
	readonly files: readonly WalkedFile[];
	/** Folders (below the top) that hold a `.git` of any kind. */
	readonly nestedRepositories: readonly PathBytes[];
}

/** Lists a work tree without following a link and without any help of Git's. */
export async function walkFolder(folder: string): Promise<WalkedFolder> {
	const files: WalkedFile[] = [];
	const nestedRepositories: PathBytes[] = [];
	const pending: PathBytes[] = [''];
	for (let relative = pending.pop(); relative !== undefined; relative = pending.pop()) {
		const children = await listFolder(absolutePath(folder, relative));
		for (const child of children) {
			const name = child.name.toString('latin1');
			const path = relative === '' ? name : `${relative}/${name}`;
			if (name === '.git') {
				if (relative !== '') nestedRepositories.push(relative);
			} else if (child.isDirectory()) pending.push(path);
			else if (child.isFile()) files.push({ path, kind: 'file' });
			else if (child.isSymbolicLink()) files.push({ path, kind: 'link' });
			else files.push({ path, kind: 'special' });
		}
	}
	return { files, nestedRepositories };
}

async function listFolder(path: Buffer): Promise<Dirent<Buffer>[]> {
	try {
		return await readdir(path, { withFileTypes: true, encoding: 'buffer' });
	} catch (error) {
		// A process of the agent's removed or replaced it just now.
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
		throw error;
	}
}

export async function sizeOf(folder: string, path: PathBytes): Promise<number> {
	try {
		return (await lstat(absolutePath(folder, path))).size;
	} catch (error) {
		// A process of the agent's removed it just now, or the folder around it.
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
		throw error;
	}
}
