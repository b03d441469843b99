import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { absolutePath, display } from './git/path-bytes.ts';
import { sizeOf, type WalkedFile } from './walk.ts';

export interface IgnoredFile {
	readonly path: string;
	/** Bytes. */
	readonly size: number;
}

export const defaultArchiveLimit = 16 * 1024 * 1024;

/**
 * What a candidate left beside its tree. The archive is UTF-8 JSON:
 * `{"schema_version":1,"files":[{"path","mode","base64"} | {"path","link"}],"omitted":[path]}`, in path order, with at
 * most `limitBytes` of file contents; larger files and special ones are named under `omitted`.
 */
export async function archiveLeftOut(o: {
	readonly folder: string;
	readonly leftOut: readonly WalkedFile[];
	readonly limitBytes: number;
}): Promise<{ ignored: IgnoredFile[]; archive: Uint8Array | null }> {
	const sorted = [...o.leftOut].sort((a, b) => (a.path < b.path ? -1 : 1));
	const ignored: IgnoredFile[] = [];
	const files: object[] = [];
	const omitted: string[] = [];
	let left = o.limitBytes;
	for (const file of sorted) {
		const path = display(file.path);
		const size = await sizeOf(o.folder, file.path);
		ignored.push({ path, size });
		const content = file.kind === 'special' || size > left ? null : await readLeftOut(o.folder, file, left);
		if (content === null) omitted.push(path);
		else {
			files.push({ path, ...content.record });
			left -= content.bytes;
		}
	}
	const archive = sorted.length === 0 ? null : Buffer.from(JSON.stringify({ schema_version: 1, files, omitted }));
	return { ignored, archive };
}

async function readLeftOut(
	folder: string,
	file: WalkedFile,
	limit: number,
): Promise<{ record: object; bytes: number } | null> {
	const path = absolutePath(folder, file.path);
	try {
		if (file.kind === 'link') {
			const target = await readlink(path);
			return { record: { link: target }, bytes: target.length };
		}
		// Not through a link and not into a FIFO, should a process of the agent's still be changing things.
		const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		try {
			const stat = await handle.stat();
			if (!stat.isFile() || stat.size > limit) return null;
			const bytes = await handle.readFile();
			if (bytes.length > limit) return null;
			const mode = (stat.mode & 0o111) === 0 ? '100644' : '100755';
			return { record: { mode, base64: bytes.toString('base64') }, bytes: bytes.length };
		} finally {
			await handle.close();
		}
	} catch (error) {
		// Gone (and perhaps back by now), exchanged for something of another kind (EINVAL: a link that is none any more),
		// or not ours to read. A failing disk is none of these.
		const excuses = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO', 'EACCES', 'EPERM'];
		if (excuses.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
		throw error;
	}
}
