import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepTemporaries } from '@kapso-evolve/durable-fs';
import { isOwnerDead, writeOwner } from './owner.ts';
import { removeFolder } from './remove-folder.ts';
import { writeGitDir } from './repository-files.ts';
import { statOrNull } from './stat-or-null.ts';
import { createTrash, type Trash } from './trash.ts';

/**
 * A bare repository of the engine's own beside the campaign: it borrows the campaign's objects, holds none of its refs
 * and none of its settings. Work trees are read into it, candidates are judged in it, and only what passed is moved on.
 */
export interface Scratch extends AsyncDisposable {
	readonly gitDir: string;
	/** Temporary indexes, packs, pooled trees and discarded folders of this engine process. */
	readonly folder: string;
	readonly trash: Trash;
}

const ownerFile = 'owner.json';
const folderPrefix = 'engine-';

export async function openScratch(options: {
	readonly stateFolder: string;
	readonly campaignGitDir: string;
	readonly objectFormat: string;
}): Promise<Scratch> {
	const folder = await mkdtemp(join(options.stateFolder, `${folderPrefix}${process.pid}-`));
	await writeOwner(join(folder, ownerFile));
	const gitDir = join(folder, 'scratch.git');
	await writeGitDir(gitDir, { branch: 'main', bare: true, objectFormat: options.objectFormat });
	await writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${join(options.campaignGitDir, 'objects')}\n`);
	const trash = createTrash(join(folder, 'trash'));
	return {
		gitDir,
		folder,
		trash,
		async [Symbol.asyncDispose]() {
			await trash.emptied();
			await removeFolder(folder);
		},
	};
}

/** Removes what killed engines left here; a folder whose engine lives, or cannot be told, stays. */
export async function sweepScratches(stateFolder: string): Promise<void> {
	for (const name of await readdir(stateFolder)) {
		if (!name.startsWith(folderPrefix)) continue;
		const folder = join(stateFolder, name);
		if (!(await isOwnerDead(join(folder, ownerFile)))) continue;
		await removeFolder(folder);
	}
}

/** Removes files that killed engines were just writing, from folders that may not be there yet. */
export async function sweepHalfWritten(folders: readonly string[]): Promise<void> {
	for (const folder of folders) if ((await statOrNull(folder)) !== null) await sweepTemporaries(folder);
}
