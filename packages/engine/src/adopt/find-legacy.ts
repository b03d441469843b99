import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import {
	type LegacyCampaign,
	RunCheckpointIncompatibleError,
	RunCheckpointMissingError,
	readLegacyCheckpoint,
	readPythonRunState,
} from '@kapso-evolve/checkpoint';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import { readBounded } from '@kapso-evolve/durable-fs';
import { launchPath } from '../launch.ts';

/** The pickle of the releases up to 0.1.5, at the root of the workspace. */
export const picklePath = (folder: string) => join(folder, 'checkpoint.pkl');
/** Files of the Python release that an adoption replaces are kept here first. */
export const keptFolder = (folder: string) => join(folder, stateFolder, 'legacy');
/** An adoption is built here, whole, and then moved up. */
export const adoptingFolder = (folder: string) => join(folder, stateFolder, 'adopting');

/**
 * The campaign of a Python release that this folder holds, if the caller trusts it that far; null when the folder is a
 * campaign of ours, or none. Throws `RUN_CHECKPOINT_INCOMPATIBLE` without `adopt` for its JSON, `RUN_CHECKPOINT_MISSING`
 * without `allowLegacyCheckpoint` for its pickle, and what reading either throws. Nothing is touched.
 */
export async function findLegacy(
	folder: string,
	trust: { readonly adopt: boolean; readonly allowLegacyCheckpoint: boolean },
): Promise<LegacyCampaign | null> {
	const json = await findPythonState(folder);
	if (json !== null) {
		if (!trust.adopt) throw notAdopted(folder, json);
		return json;
	}
	if (!(await isThere(picklePath(folder))) || (await isThere(launchPath(folder)))) return null;
	const state = join(folder, stateFolder, 'run_state.json');
	if (await isThere(state)) return null;
	if (!trust.allowLegacyCheckpoint) throw new RunCheckpointMissingError({ path: state, pickle: picklePath(folder) });
	return await readLegacyCheckpoint(picklePath(folder));
}

/** The same for whoever only looks: JSON of schema 1 or 2, or null. */
export async function findPythonState(folder: string): Promise<LegacyCampaign | null> {
	if (await isThere(launchPath(folder))) return null;
	for (const path of [join(keptFolder(folder), 'run_state.json'), join(folder, stateFolder, 'run_state.json')]) {
		if ((await isThere(path)) && !(await isOurs(path))) return await readPythonRunState(path);
	}
	return null;
}

/** A state of our own format whose `launch.json` is gone is no campaign of another release. */
async function isOurs(path: string): Promise<boolean> {
	const bytes = await readBounded(path, { maxBytes: 2 ** 30 }).catch(() => null);
	return bytes?.toString('latin1', 0, 200).includes('"schema_version": 3,') === true;
}

export async function isThere(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return true;
	} catch (error) {
		const cause = error as NodeJS.ErrnoException;
		if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return false;
		throw new KapsoError({
			code: 'READ_FAILED',
			category: 'infrastructure',
			message: `${path} could not be looked at: ${cause.message}`,
			hint: 'nothing was changed; correct the rights of the folder, or look after the disk, then try again',
			data: { path, errno: cause.code ?? null },
			cause,
		});
	}
}

function notAdopted(folder: string, { schemaVersion }: LegacyCampaign): RunCheckpointIncompatibleError {
	return new RunCheckpointIncompatibleError({
		message: `The campaign in ${folder} was written by another release: its run_state.json has schema_version ${schemaVersion} and was not migrated.`,
		hint: `Nothing was changed. "kapso-evolve status" and "log" read it as it is. To go on with it here: kapso-evolve evolve --output ${JSON.stringify(folder)} --resume --adopt, with its goal and all settings.`,
		mismatches: [{ key: 'schema_version', recorded: String(schemaVersion), requested: '3' }],
	});
}
