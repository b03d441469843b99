import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** In the git dir of every campaign of ours. */
export const campaignMarker = 'kapso/campaign.json';

/** Git dirs in the making; a killed creation leaves one, and the next one may remove it. */
export const creatingPrefix = '.git.creating-';

/** `empty` includes what a campaign's first steps or a killed creation leave: `.kapso` and half-made git dirs. */
export type FolderState = 'absent' | 'empty' | 'campaign' | 'other';

export async function folderState(path: string): Promise<FolderState> {
	let names: string[];
	try {
		names = await readdir(path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT') return 'absent';
		if (code === 'ENOTDIR') return 'other';
		throw error;
	}
	if (await isCampaignFolder(path)) return 'campaign';
	return names.every((name) => name === '.kapso' || name.startsWith(creatingPrefix)) ? 'empty' : 'other';
}

/** True for a folder that holds a campaign of this engine or of the Python release (milestone 3). */
export async function isCampaignFolder(path: string): Promise<boolean> {
	if (!(await is(join(path, '.git'), 'isDirectory'))) return false;
	for (const sign of [`.git/${campaignMarker}`, '.kapso/run_state.json', 'checkpoint.pkl']) {
		if (await is(join(path, sign), 'isFile')) return true;
	}
	return false;
}

async function is(path: string, kind: 'isDirectory' | 'isFile'): Promise<boolean> {
	try {
		return (await lstat(path))[kind]();
	} catch (error) {
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
		throw error;
	}
}
