import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type CandidateTree, KapsoError, type TreeEntry } from '@kapso-evolve/contracts';

/**
 * A plain folder as a candidate. A top-level `.git` is not part of it; bytes are read without following links.
 * Throws `TREE_ENTRY_KIND` for pipes, sockets and devices and for names that are not UTF-8.
 */
export function folderTree(folder: string): CandidateTree {
	let listed: Promise<readonly TreeEntry[]> | undefined;
	const entries = (): Promise<readonly TreeEntry[]> => {
		listed ??= listEntries(folder);
		return listed;
	};
	return {
		entries,
		async read(path) {
			const entry = (await entries()).find((candidate) => candidate.path === path);
			if (!entry) {
				throw new KapsoError({
					code: 'NO_SUCH_ENTRY',
					category: 'usage',
					message: `${folder} has no entry ${path}`,
					hint: 'Ask only for paths that entries() named.',
					data: { folder, path },
				});
			}
			if (entry.type === 'link') return readlink(join(folder, path), { encoding: 'buffer' });
			const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
			try {
				return await file.readFile();
			} finally {
				await file.close();
			}
		},
	};
}

async function listEntries(folder: string): Promise<readonly TreeEntry[]> {
	const found: TreeEntry[] = [];
	const visit = async (relative: string): Promise<void> => {
		for (const item of await readdir(join(folder, relative), { withFileTypes: true, encoding: 'buffer' })) {
			const name = item.name.toString('utf8');
			const path = relative === '' ? name : `${relative}/${name}`;
			if (path === '.git') continue;
			if (Buffer.compare(Buffer.from(name), item.name) !== 0) throw refusal(folder, path, 'its name is not UTF-8');
			if (item.isDirectory()) {
				await visit(path);
				continue;
			}
			const stat = await lstat(join(folder, path));
			if (stat.isSymbolicLink()) found.push({ path, mode: '120000', type: 'link', size: stat.size });
			else if (stat.isFile()) {
				found.push({ path, mode: stat.mode & 0o100 ? '100755' : '100644', type: 'file', size: stat.size });
			} else throw refusal(folder, path, 'it is neither a file nor a link');
		}
	};
	await visit('');
	return found.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

function refusal(folder: string, path: string, why: string): KapsoError {
	return new KapsoError({
		code: 'TREE_ENTRY_KIND',
		category: 'verdict',
		message: `${path} in ${folder} cannot be part of a candidate: ${why}`,
		hint: 'Remove or rename it.',
		data: { folder, path },
	});
}
