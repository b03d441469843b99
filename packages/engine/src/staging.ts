import { readdir, readlink, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import { currentProcess, isAlive } from '@kapso-evolve/process';
import { readLiveHolder } from './live-holder.ts';

/** An output is free when it is absent or an empty folder. Everything else is somebody's. */
export async function refuseUsedOutput(folder: string): Promise<void> {
	const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return null;
		throw error;
	});
	const names = found?.isDirectory() ? await readdir(folder) : null;
	if (found === null || names?.length === 0) return await refuseLink(folder);
	if (names?.includes(stateFolder) && (await readdir(join(folder, stateFolder))).includes('launch.json')) {
		const holder = await readLiveHolder(join(folder, stateFolder));
		throw new KapsoError({
			code: 'CAMPAIGN_EXISTS',
			category: holder !== null && isAlive(holder) === 'alive' ? 'locked' : 'usage',
			message: `${folder} already holds a campaign${holder === null ? '' : ` (held by process ${holder.pid} on ${holder.host})`}`,
			hint: `nothing was touched; continue it with: kapso-evolve resume ${JSON.stringify(folder)} (a program: pass resume=True), or choose a new output path`,
			data: { folder, holder },
		});
	}
	throw new KapsoError({
		code: 'OUTPUT_NOT_EMPTY',
		category: 'usage',
		message: `${folder} is not empty and holds no campaign`,
		hint: 'nothing was touched; choose a new or empty folder for --output',
		data: { folder },
	});
}

/** A campaign is moved into its place as a whole, and a rename replaces no link: neither an empty folder's nor a dangling one. */
async function refuseLink(folder: string): Promise<void> {
	const link = await readlink(folder).catch(() => null); // absent, or a folder
	if (link === null) return;
	throw new KapsoError({
		code: 'OUTPUT_IS_LINK',
		category: 'usage',
		message: `${folder} is a link to ${link}`,
		hint: 'nothing was touched; give the folder that it leads to as --output',
		data: { folder, link },
	});
}

const stagingPrefix = (folder: string) => `.${basename(folder)}.kapso-setup-`;

/** Named after the process that builds it, so that the leavings of a dead one can be told from a live one's. */
export function stagingFolder(folder: string): string {
	const { pid, startTime } = currentProcess();
	return join(dirname(folder), `${stagingPrefix(folder)}${pid}-${startTime}`);
}

export async function sweepAbandoned(folder: string): Promise<void> {
	const prefix = stagingPrefix(folder);
	const self = currentProcess();
	for (const name of await readdir(dirname(folder))) {
		const match = name.startsWith(prefix) ? /^(\d+)-(.+?)(\.state)?$/.exec(name.slice(prefix.length)) : null;
		if (match === null) continue;
		if (isAlive({ ...self, pid: Number(match[1]), startTime: match[2]! }) !== 'alive') {
			await rm(join(dirname(folder), name), { recursive: true, force: true });
		}
	}
}
