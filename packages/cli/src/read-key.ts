import { resolve } from 'node:path';
import { readTextFile } from './read-text-file.ts';
import type { Session } from './session.ts';

/** A key file as text; the engine judges what is in it. Never printed, never passed on in an argument. */
export async function readKey(session: Session, file: string | undefined, what: string): Promise<string | undefined> {
	if (file === undefined) return undefined;
	return await readTextFile({ path: resolve(session.terminal.workingFolder, file), what, maxBytes: 16 * 1024 });
}
