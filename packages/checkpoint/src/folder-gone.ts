import { stat } from 'node:fs/promises';
import { KapsoError } from '@kapso-evolve/contracts';

/** `CAMPAIGN_FOLDER_GONE` (infrastructure): moved, deleted, or on a disk that is no longer there. */
export function folderGone(folder: string): KapsoError {
	return new KapsoError({
		code: 'CAMPAIGN_FOLDER_GONE',
		category: 'infrastructure',
		message: `The folder ${folder} of the running campaign is gone.`,
		hint: 'This process stopped writing. Bring the folder back to its place, or mount its disk again, then resume.',
		data: { folder },
	});
}

export async function isFolder(path: string): Promise<boolean> {
	return await stat(path).then(
		(found) => found.isDirectory(),
		() => false, // whatever the reason: nothing can be written there now
	);
}
