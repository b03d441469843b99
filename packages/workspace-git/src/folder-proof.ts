import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

/** What one folder must hold, no more and no less: names and, for each, `folder` or mode and blob id. */
export interface ExpectedFolder {
	/** Relative to the root of the proof; empty for the root itself. */
	readonly path: string;
	readonly children: ReadonlyMap<string, string>;
}

export interface FolderProof {
	readonly root: string;
	readonly algorithm: 'sha1' | 'sha256';
	readonly folders: readonly ExpectedFolder[];
}

/**
 * Reads every name and every byte again and compares them with Git's own ids: null, or the first thing that differs.
 * File times, sizes and inodes are no evidence here. A file with a second name (hard link) is a difference too.
 */
export function firstDifference({ root, algorithm, folders }: FolderProof): string | null {
	const block = Buffer.allocUnsafe(headerRoom + blockBytes);
	for (const { path, children } of folders) {
		const folder = path === '' ? root : `${root}/${path}`;
		const found = readdirSync(folder, { withFileTypes: true });
		if (found.length !== children.size) return `${path || '.'} holds ${found.length} names, not ${children.size}`;
		for (const entry of found) {
			const name = `${folder}/${entry.name}`;
			const expected = children.get(entry.name);
			const is = entry.isDirectory()
				? 'folder'
				: entry.isSymbolicLink()
					? `120000 ${blobId(algorithm, readlinkSync(name, 'buffer'))}`
					: entry.isFile()
						? describeFile(name, algorithm, block)
						: 'special';
			if (is !== expected) return `${path === '' ? '' : `${path}/`}${entry.name} is ${is}, not ${expected ?? 'there'}`;
		}
	}
	return null;
}

const headerRoom = 64;
const blockBytes = 256 * 1024;

function blobId(algorithm: string, bytes: Buffer): string {
	return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Mode and id as Git would give them. `block` has room for a header in front: most files are then hashed in one go. */
function describeFile(path: string, algorithm: string, block: Buffer): string {
	const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		const { mode, size, nlink } = fstatSync(file);
		if (nlink !== 1) return `a file with ${nlink} names`;
		const kind = (mode & 0o100) === 0 ? '100644' : '100755';
		const header = `blob ${size}\0`;
		// One byte more than there should be: a file that grows is seen.
		let read = readSync(file, block, headerRoom, Math.min(size + 1, blockBytes), null);
		if (read === size && read < blockBytes) {
			block.write(header, headerRoom - header.length, 'latin1');
			return `${kind} ${hash(algorithm, block.subarray(headerRoom - header.length, headerRoom + read))}`;
		}
		const hashing = createHash(algorithm).update(header);
		for (; read > 0; read = readSync(file, block, headerRoom, blockBytes, null)) {
			hashing.update(block.subarray(headerRoom, headerRoom + read));
		}
		return `${kind} ${hashing.digest('hex')}`;
	} finally {
		closeSync(file);
	}
}
