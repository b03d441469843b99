import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from './remove-folder.ts';

/** Removes folders of the engine's beside the work: out of sight at once, off the disk soon, gone when it is emptied. */
export interface Trash {
	discard(folder: string): Promise<void>;
	/** Waits until everything discarded so far is gone. */
	emptied(): Promise<void>;
}

/** More folders than this waiting: who discards waits too, so that a disk is not filled with what is already done. */
const mostWaiting = 4;

/** `place`: absolute, swept with the engine's scratch after a kill. */
export function createTrash(place: string): Trash {
	const waiting: Promise<void>[] = [];
	let last: Promise<void> = Promise.resolve();
	return {
		async discard(folder) {
			const hidden = join(place, crypto.randomUUID());
			await mkdir(place, { recursive: true });
			try {
				await rename(folder, hidden);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
				// Another file system, or a folder that was made read-only: it goes at once.
				await removeFolder(folder);
				return;
			}
			// What cannot be removed now stays in the scratch, whose own removal tries again and says why.
			last = last.then(() => removeFolder(hidden)).catch(() => {});
			const mine = last.then(() => void waiting.splice(waiting.indexOf(mine), 1));
			waiting.push(mine);
			if (waiting.length > mostWaiting) await waiting[0];
		},
		emptied: () => last,
	};
}
