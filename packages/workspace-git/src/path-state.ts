import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { absolutePath } from './git/path-bytes.ts';
import type { Repository } from './repository.ts';
import { statOrNull } from './stat-or-null.ts';
import { type ChangedPath, isAbsent } from './tree-difference.ts';

/** Which of its two commits a path of the work tree agrees with; both sides agreeing counts as the wanted one. */
export async function classifyPath(
	repository: Repository,
	change: ChangedPath,
): Promise<'from' | 'to' | 'between' | 'unexplained'> {
	const path = absolutePath(repository.root, change.path);
	const stat = await statOrNull(path);
	if (stat === null || stat.isDirectory()) {
		// A folder at this path belongs to the side that has files below it; those are changed paths of their own.
		if (isAbsent(change.from)) return 'from';
		return isAbsent(change.to) ? 'to' : 'between';
	}
	const isLink = stat.isSymbolicLink();
	if (!isLink && !stat.isFile()) return 'unexplained';
	const bytes = isLink ? await readlink(path, { encoding: 'buffer' }) : await readFile(path);
	const mode = isLink ? '120000' : (stat.mode & 0o100) === 0 ? '100644' : '100755';
	const id = blobId(bytes, repository.objectFormat);
	for (const side of ['from', 'to'] as const) {
		if (change[side].id === id && change[side].mode === mode) return side;
	}
	if (change.from.id === id || change.to.id === id) return 'between'; // the bytes are there, the mode is not yet
	if (isAbsent(change.to)) return 'unexplained';
	const target = await repository.objects.readBlob(change.to.id);
	return bytes.length < target.length && target.subarray(0, bytes.length).equals(bytes) ? 'between' : 'unexplained';
}

function blobId(bytes: Buffer, format: 'sha1' | 'sha256'): string {
	return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Changes whenever something at one of the paths does: kind, size, times and inode of each. */
export async function fingerprintPaths(repository: Repository, changes: readonly ChangedPath[]): Promise<string> {
	const hash = createHash('sha256');
	for (const { path } of changes) {
		const stat = await lstat(absolutePath(repository.root, path), { bigint: true }).catch(() => null); // nothing there
		hash
			.update(stat === null ? '-' : `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`)
			.update('\n');
	}
	return hash.digest('hex');
}
