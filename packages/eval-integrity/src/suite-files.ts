import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError, sha256 } from '@kapso-evolve/contracts';
import type { DataSnapshot, Suite } from './suite.ts';

export interface SuiteFile {
	/** Inside the suite. */
	readonly path: string;
	readonly mode: '100644' | '100755';
	readonly bytes: Uint8Array;
}

/** The snapshot's files one by one, each checked against its hash as it is read: `SUITE_SNAPSHOT_CHANGED` otherwise. */
export async function* suiteFiles(suite: Suite | DataSnapshot): AsyncGenerator<SuiteFile> {
	for (const entry of suite.entries) {
		const bytes = await readFile(join(suite.root, entry.path));
		if (sha256(bytes) !== entry.sha256) {
			throw new KapsoError({
				code: 'SUITE_SNAPSHOT_CHANGED',
				category: 'infrastructure',
				message: `${join(suite.root, entry.path)} is no longer what was captured`,
				hint: 'Something outside the engine wrote there. Nothing was committed; restore the folder or start again.',
				data: { path: entry.path },
			});
		}
		yield { path: entry.path, mode: entry.mode, bytes };
	}
}
