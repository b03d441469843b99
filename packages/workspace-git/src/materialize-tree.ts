import { mkdir, readdir } from 'node:fs/promises';
import { KapsoError } from '@kapso-evolve/contracts';
import { listPlainFiles, writePlainFiles } from './plain-files.ts';
import type { Repository } from './repository.ts';

export interface MaterializeTreeOptions {
	/** Absolute; absent or empty. */
	readonly to: string;
	/** Paths that are not written, seen from the root of the tree. */
	readonly exclude?: (path: string) => boolean;
}

/**
 * Writes a commit (or a tree) as a plain folder, from its blobs: no `.git`, no conversion, modes 644 and 755. What the
 * folder could not hold unchanged on every system is refused before anything is written: `TREE_PATH_POLICY`.
 */
export async function materializeTree(
	repository: Repository,
	source: string,
	options: MaterializeTreeOptions,
): Promise<void> {
	const files = await listPlainFiles(repository, source, options.exclude);
	await mkdir(options.to, { recursive: true });
	if ((await readdir(options.to)).length > 0) {
		throw new KapsoError({
			code: 'FOLDER_NOT_EMPTY',
			category: 'infrastructure',
			message: `${options.to} is not empty: a tree is written into a fresh folder only`,
			hint: 'Give every evaluation a folder of its own.',
			data: { folder: options.to },
		});
	}
	await writePlainFiles(repository, options.to, files);
}
