import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { ensureFolder, readBounded, syncFolder, writeFileDurable } from '@kapso-evolve/durable-fs';
import { currentProcess, type ProcessIdentity } from '@kapso-evolve/process';
import { isObjectId } from './object-id.ts';
import type { Repository } from './repository.ts';

/** Written before a switch touches a file, removed after it was verified: what a killed engine was about to do. */
export interface SwitchIntent {
	readonly schema_version: 1;
	/** Commit that the changed paths are at; null: the empty tree of a campaign that is just being filled. */
	readonly from: string | null;
	readonly to: string;
	readonly writer: ProcessIdentity;
}

export function intentPath(gitDir: string): string {
	return join(gitDir, 'kapso', 'switch.json');
}

export async function writeIntent(gitDir: string, move: { from: string | null; to: string }): Promise<void> {
	const intent: SwitchIntent = { schema_version: 1, ...move, writer: currentProcess() };
	await ensureFolder(join(gitDir, 'kapso'));
	await writeFileDurable(intentPath(gitDir), `${JSON.stringify(intent)}\n`);
}

export async function clearIntent(gitDir: string): Promise<void> {
	await rm(intentPath(gitDir), { force: true });
	await syncFolder(join(gitDir, 'kapso'));
}

/** Null when no switch is unfinished. Throws `SWITCH_INTENT_CORRUPT`: then no one can know, and nothing is touched. */
export async function readIntent(repository: Pick<Repository, 'gitDir'>): Promise<SwitchIntent | null> {
	const path = intentPath(repository.gitDir);
	let text: string;
	try {
		text = (await readBounded(path, { maxBytes: 65_536 })).toString('utf8');
	} catch (error) {
		if (KapsoError.isInstance(error) && error.code === 'FILE_MISSING') return null;
		throw error;
	}
	try {
		const intent = JSON.parse(text) as SwitchIntent;
		if (intent.schema_version === 1 && isObjectId(intent.to) && (intent.from === null || isObjectId(intent.from))) {
			return intent;
		}
	} catch {
		// not JSON: reported below with everything else that is not an intent
	}
	throw new KapsoError({
		code: 'SWITCH_INTENT_CORRUPT',
		category: 'infrastructure',
		message: `${path} does not say which switch was unfinished`,
		hint: 'Compare the work tree with `git status`, bring it into the state you want, then delete that file.',
		data: { path },
	});
}
