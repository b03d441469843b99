import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** What lies at a path, links not followed; null when nothing does. */
export async function statOrNull(path: string | Buffer): Promise<Stats | null> {
	try {
		return await lstat(path);
	} catch (error) {
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
		throw error;
	}
}
