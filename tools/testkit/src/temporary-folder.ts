import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
	readonly path: string;
}

/** A new empty folder with a space and a non-ASCII letter in its name, removed with everything in it on dispose. */
export async function temporaryFolder(name = 'té st'): Promise<TemporaryFolder> {
	const path = await realpath(await mkdtemp(join(tmpdir(), `kapso ${name} `)));
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
