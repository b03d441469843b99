import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A cheap sign that nobody touched a folder: paths, sizes, times and inode numbers of everything in it, no bytes. Only
 * ever compared with a stamp taken when the bytes themselves were hashed: an equal stamp saves reading gigabytes again,
 * a different one means reading them. (A writer that keeps a shared mapping open can fool it; snapshots lie where no
 * candidate and no agent has a path to.)
 */
export async function treeStamp(folder: string): Promise<string> {
	const hash = createHash('sha256');
	for await (const { path, stat } of walk(folder)) {
		hash.update(`${path}\0${stat.mode}\0${stat.size}\0${stat.mtimeNs}\0${stat.ctimeNs}\0${stat.ino}\n`);
	}
	return hash.digest('hex');
}

/**
 * SHA-256 of a folder that may hold links, such as a virtual environment: path, kind, executable bit and bytes of
 * every file, the target text of every link. A single file counts as a folder of one.
 */
export async function contentDigest(folder: string): Promise<string> {
	const hash = createHash('sha256');
	for await (const { path, at, stat } of walk(folder)) {
		hash.update(`${path}\0`);
		if (stat.isSymbolicLink()) hash.update(`link\0${await readlink(at)}\n`);
		else if (stat.isFile()) {
			hash.update(`file\0${(stat.mode & 0o100n) !== 0n}\0${stat.size}\0`);
			for await (const chunk of createReadStream(at, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
		} else hash.update('folder\n');
	}
	return hash.digest('hex');
}

interface Walked {
	readonly path: string;
	readonly at: string;
	readonly stat: Awaited<ReturnType<typeof lstatExactly>>;
}

/** Sorted at every level; links are entries, never followed; pipes, sockets and devices are left out. */
async function* walk(folder: string, path = ''): AsyncGenerator<Walked> {
	const at = path === '' ? folder : join(folder, path);
	const stat = await lstatExactly(at);
	if (!stat.isDirectory()) {
		if (stat.isFile() || stat.isSymbolicLink()) yield { path, at, stat };
		return;
	}
	if (path !== '') yield { path, at, stat };
	for (const name of (await readdir(at)).sort()) yield* walk(folder, path === '' ? name : `${path}/${name}`);
}

function lstatExactly(path: string) {
	return lstat(path, { bigint: true });
}
