import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, open, readlink, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, posix } from 'node:path';
import type { Mount } from '@kapso-evolve/process';
import type { Ending } from './evaluation-record.ts';
import type { PhaseView, Place } from './phase-view.ts';

/** A program that a phase can start: found once, named by its bytes in the record. */
export interface Program {
	/** Real path on this machine. */
	readonly path: string;
	/** How the phase's process calls it. */
	readonly start: string;
}

export interface ProgramSearch {
	/** A `PATH` value. */
	readonly path: string;
	readonly node: string;
	/** False: a plain child process, which sees the whole machine. */
	readonly sandboxed: boolean;
	/** The caller's own mounts. */
	readonly mounts: readonly { readonly path: string; readonly at: string }[];
}

/** Where a sandbox shows the engine's own Node. */
export const nodePlace = '/kapso/bin/node';
const shownFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** The one mount that `node` needs. */
export function nodeMount(search: ProgramSearch): Mount[] {
	return search.sandboxed ? [{ source: search.node, at: nodePlace }] : [];
}

/** `PATH` as a phase gets it: the engine's Node first, then what of the caller's value the phase can see. */
export function pinnedPath(search: ProgramSearch): string {
	if (!search.sandboxed) return [posix.dirname(search.node), search.path].join(delimiter);
	const shown = search.path.split(delimiter).flatMap((folder) => shownAs(folder, search.mounts) ?? []);
	return [...new Set([posix.dirname(nodePlace), ...shown, '/usr/bin', '/bin'])].join(delimiter);
}

/**
 * Finds the program of a command: `node` is the engine's own; a path is taken as the phase sees it; another name is
 * searched on the pinned `PATH`. What is missing or not visible is the machine's fault, and the candidate's only where
 * the command names a file of the candidate itself.
 */
export async function resolveProgram(name: string, view: PhaseView, search: ProgramSearch): Promise<Program | Ending> {
	if (name === 'node') return { path: search.node, start: search.sandboxed ? nodePlace : search.node };
	const placed = name.includes('/') ? inPlace(name, view) : null;
	if (placed !== null) return ownProgram(name, placed);
	const found = name.includes('/') ? fromPath(name, search) : await fromSearch(name, search);
	if (found === null || !(await isExecutable(found.host))) {
		return missing('PROGRAM_MISSING', `there is no program ${name}${name.includes('/') ? '' : ' on the pinned PATH'}`);
	}
	const path = await realpath(found.host);
	if (search.sandboxed && shownAs(path, search.mounts) === null) {
		return missing('PROGRAM_HIDDEN', `${name} is ${path}, which the sandbox does not show; add its folder to mounts`);
	}
	const interpreter = await interpreterOf(path);
	if (interpreter !== null && search.sandboxed && !isShownPath(interpreter, search.mounts)) {
		return missing('PROGRAM_HIDDEN', `${name} is a script for ${interpreter}, which the sandbox does not show`);
	}
	// A venv's python must be called by its link; links through /etc/alternatives by their target.
	const viaAlternatives = (await readlink(found.host).catch(() => '')).startsWith('/etc/');
	return { path, start: viaAlternatives && search.sandboxed ? (shownAs(path, search.mounts) ?? path) : found.start };
}

/** A file of one of the phase's own places: never one that a link in there leads to. */
async function ownProgram(
	name: string,
	{ place, host, start }: Found & { readonly place: Place },
): Promise<Program | Ending> {
	const [path, folder] = await Promise.all([realpath(host).catch(() => null), realpath(place.host)]);
	if (path?.startsWith(`${folder}/`) && (await isExecutable(path))) return { path, start };
	const error = `${name} is not an executable file of the ${place.name} folder`;
	const isCandidates = place.name === 'candidate' || place.name === 'outputs';
	return isCandidates ? { outcome: 'crashed', code: 'RUN_CRASHED', error } : missing('PROGRAM_MISSING', error);
}

interface Found {
	readonly host: string;
	readonly start: string;
}

function inPlace(name: string, view: PhaseView): (Found & { readonly place: Place }) | null {
	const start = posix.resolve(view.cwd.inside, name);
	const place = [view.cwd, ...view.readOnly, ...view.writable].find(({ inside }) => start.startsWith(`${inside}/`));
	if (place) return { place, host: join(place.host, start.slice(place.inside.length)), start };
	return isAbsolute(name) ? null : { place: view.cwd, host: join(view.cwd.host, '..'), start };
}

function fromPath(name: string, search: ProgramSearch): Found {
	const mount = search.sandboxed ? search.mounts.find(({ at }) => name.startsWith(`${at}/`)) : undefined;
	return { host: mount ? mount.path + name.slice(mount.at.length) : name, start: name };
}

async function fromSearch(name: string, search: ProgramSearch): Promise<Found | null> {
	for (const folder of search.path.split(delimiter)) {
		const shown = search.sandboxed ? shownAs(folder, search.mounts) : folder;
		if (!isAbsolute(folder) || shown === null) continue;
		const host = join(folder, name);
		if (await isExecutable(host)) return { host, start: join(shown, name) };
	}
	return null;
}

/** How a host path is called inside the sandbox; null: not at all. */
function shownAs(path: string, mounts: ProgramSearch['mounts']): string | null {
	const mount = mounts.find((candidate) => path === candidate.path || path.startsWith(`${candidate.path}/`));
	if (mount) return mount.at + path.slice(mount.path.length);
	return shownFolders.some((folder) => path === folder || path.startsWith(`${folder}/`)) ? path : null;
}

/** Whether a path that stands inside a script leads somewhere in the sandbox. */
function isShownPath(path: string, mounts: ProgramSearch['mounts']): boolean {
	return (
		path === nodePlace ||
		[...shownFolders, ...mounts.map((mount) => mount.at)].some((folder) => path.startsWith(`${folder}/`))
	);
}

/** The program in a script's first line; null for what is not a script. */
async function interpreterOf(path: string): Promise<string | null> {
	const file = await open(path, 'r');
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
		const line = buffer.toString('latin1', 0, bytesRead).split('\n', 1)[0]!;
		return /^#!\s*(\S+)/.exec(line)?.[1] ?? null;
	} finally {
		await file.close();
	}
}

async function isExecutable(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		return false; // not there, not ours to run: both mean "look further"
	}
}

function missing(code: string, error: string): Ending {
	return { outcome: 'infrastructure', code, error };
}

/** SHA-256 of programs, remembered by path, size and times: an interpreter is large and rarely changes. */
export async function hashProgram(path: string, known: Map<string, Promise<string>>): Promise<string> {
	const { size, mtimeMs, ctimeMs, ino } = await stat(path);
	const key = [path, size, mtimeMs, ctimeMs, ino].join('\0');
	const hashing = known.get(key) ?? hashFile(path);
	known.set(key, hashing);
	return hashing;
}

async function hashFile(path: string): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
	return hash.digest('hex');
}
