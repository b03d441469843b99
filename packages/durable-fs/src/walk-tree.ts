import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { errnoOf, fileProblem } from './errors.ts';
import { carefully } from './open-no-follow.ts';

/** A regular file of a tree, opened. The walker closes it. */
export interface WalkedFile {
	/** Relative, `/`-separated. */
	readonly path: string;
	readonly handle: FileHandle;
	readonly stat: BigIntStats;
}

export interface WalkLimits {
	/** Files and folders together. */
	readonly maxEntries?: number;
}

const deepest = 100;
const longestPathBytes = 3_000;
const { O_DIRECTORY = 0 } = constants;

/**
 * Visits every regular file below a folder, in no particular order, and refuses the tree (`TREE_ENTRY_KIND`, `data`:
 * `path` and `reason`) for anything else in it: links, pipes, devices, sockets, names that are not UTF-8, endless
 * nesting. On Linux each folder is opened once without following and its entries are reached through that descriptor,
 * so that exchanging a folder for a link while we walk leads nowhere.
 */
export async function walkTree(
	folder: string,
	visit: (file: WalkedFile) => Promise<void>,
	limits: WalkLimits = {},
): Promise<void> {
	let entries = 0;
	const walk = async (real: string, path: string, depth: number): Promise<void> => {
		await using handle = await openFolder(real, path, folder);
		const reach = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : real;
		for await (const { name: rawName } of await opendir(reach, { encoding: 'buffer' as BufferEncoding })) {
			const raw = rawName as unknown as Buffer;
			const name = raw.toString('utf8');
			const childPath = path === '' ? name : `${path}/${name}`;
			if (!Buffer.from(name).equals(raw)) throw refused(childPath, 'its name is not UTF-8');
			if (Buffer.byteLength(childPath) > longestPathBytes)
				throw refused(`${childPath.slice(0, 200)}…`, 'its path is too long');
			entries += 1;
			if (entries > (limits.maxEntries ?? Infinity)) {
				throw tooLarge(folder, childPath, `there are more than ${limits.maxEntries} files and folders`);
			}
			const child = join(reach, name);
			const found = await lstat(child).catch((cause) => cannot(childPath, cause));
			if (found.isDirectory()) {
				if (depth === deepest)
					throw refused(`${childPath.slice(0, 200)}…`, `folders are nested deeper than ${deepest}`);
				await walk(child, childPath, depth + 1);
			} else if (found.isFile()) {
				await using file = await open(child, constants.O_RDONLY | carefully).catch((cause) => cannot(childPath, cause));
				const stat = await file.stat({ bigint: true });
				if (!stat.isFile()) throw refused(childPath, 'it changed while it was read');
				await visit({ path: childPath, handle: file, stat });
			} else throw refused(childPath, `it is ${kindOf(found)}`);
		}
	};
	await walk(folder, '', 0);
}

export function refused(path: string, reason: string, cause?: unknown): KapsoError {
	return new KapsoError({
		code: 'TREE_ENTRY_KIND',
		category: 'usage',
		message: `"${path}" cannot be taken: ${reason}.`,
		hint: 'Nothing was changed. Only folders and regular files with UTF-8 names are taken; replace links by copies.',
		data: { path, reason },
		cause,
	});
}

export function tooLarge(folder: string, path: string, reason: string): KapsoError {
	return new KapsoError({
		code: 'TREE_TOO_LARGE',
		category: 'usage',
		message: `${folder} is too large: ${reason}.`,
		hint: 'Nothing was changed. Leave large files out of this folder, or raise the limit.',
		data: { folder, path, reason },
	});
}

async function openFolder(real: string, path: string, root: string): Promise<FileHandle> {
	try {
		return await open(real, constants.O_RDONLY | O_DIRECTORY | carefully);
	} catch (error) {
		if (path !== '') throw cannot(path, error);
		const errno = errnoOf(error);
		if (errno === 'ENOENT') throw fileProblem('FILE_MISSING', root, 'does not exist', error);
		if (errno === 'ENOTDIR' || errno === 'ELOOP') throw fileProblem('FILE_KIND', root, 'is no folder', error);
		throw error;
	}
}

/** What the tree's owner can bring about is a refusal; a failing disk or too many open files is not. */
const refusals = ['EACCES', 'ELOOP', 'ENAMETOOLONG', 'ENODEV', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EPERM'];

function cannot(path: string, cause: unknown): never {
	if (!refusals.includes(errnoOf(cause) ?? '')) throw cause;
	throw refused(path, `it cannot be opened (${errnoOf(cause) ?? 'unknown'})`, cause);
}

function kindOf(stat: Awaited<ReturnType<typeof lstat>>): string {
	if (stat.isSymbolicLink()) return 'a link';
	if (stat.isFIFO()) return 'a named pipe';
	if (stat.isSocket()) return 'a socket';
	return 'a device';
}
