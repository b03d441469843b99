import * as fs from 'node:fs';
import { KapsoError } from '@kapso-evolve/contracts';
import isomorphicGit from 'isomorphic-git';
import { noSuchObject } from './object-id.ts';
import type { GitObjectReader, TreeObjectEntry } from './object-reader.ts';

/**
 * Reads without a git program, for viewers and as an independent second opinion. Read-only on purpose: this library
 * loses staged work and ignores Git's locks when it writes. Refuses what it reads wrongly: `READER_UNSUPPORTED`.
 */
export async function createIsomorphicReader(options: { readonly gitDir: string }): Promise<GitObjectReader> {
	const gitdir = options.gitDir;
	await refuseUnsupported(gitdir);
	// Holds parsed packs between calls; dropped with the reader.
	let cache: object = {};
	const guard = async <T>(id: string, wanted: string, read: () => Promise<T>): Promise<T> => {
		try {
			return await read();
		} catch (error) {
			const { code } = error as { code?: string };
			if (code === 'NotFoundError' || code === 'ObjectTypeError') throw noSuchObject(id, wanted);
			throw error;
		}
	};
	const readTree = async (id: string, prefix: string): Promise<TreeObjectEntry[]> => {
		const { tree } = await guard(id, 'tree', () => isomorphicGit.readTree({ fs, gitdir, oid: id, cache }));
		const entries: TreeObjectEntry[] = [];
		for (const entry of tree) {
			const path = prefix + entry.path;
			if (entry.type === 'tree') entries.push(...(await readTree(entry.oid, `${path}/`)));
			else if (entry.type === 'commit') {
				entries.push({ path: Buffer.from(path), mode: '160000', type: 'commit', id: entry.oid, size: 0 });
			} else {
				const { blob } = await guard(entry.oid, 'blob', () =>
					isomorphicGit.readBlob({ fs, gitdir, oid: entry.oid, cache }),
				);
				entries.push({ path: Buffer.from(path), mode: entry.mode, type: 'blob', id: entry.oid, size: blob.length });
			}
		}
		return entries;
	};
	return {
		async readCommit(id) {
			const { commit } = await guard(id, 'commit', () => isomorphicGit.readCommit({ fs, gitdir, oid: id, cache }));
			return { tree: commit.tree, parents: commit.parent, message: commit.message };
		},
		async readBlob(id) {
			const { blob } = await guard(id, 'blob', () => isomorphicGit.readBlob({ fs, gitdir, oid: id, cache }));
			return Buffer.from(blob);
		},
		async listTree(commitOrTree) {
			const entries = await readTree(commitOrTree, '');
			return entries.sort((a, b) => a.path.compare(b.path));
		},
		async close() {
			cache = {};
		},
	};
}

async function refuseUnsupported(gitDir: string): Promise<void> {
	const config = await fs.promises.readFile(`${gitDir}/config`, 'utf8');
	const exists = (path: string) => fs.existsSync(`${gitDir}/${path}`);
	const reasons = [
		[/^\s*objectformat\s*=\s*sha256/im.test(config), 'objects named by sha256'],
		[/^\s*(refstorage|partialclone|promisor)\s*=/im.test(config), 'a reference store or partial clone'],
		[exists('objects/info/alternates'), 'objects borrowed from another repository'],
		[exists('refs/replace'), 'replace references'],
	] as const;
	const reason = reasons.find(([found]) => found)?.[1];
	if (reason === undefined) return;
	throw new KapsoError({
		code: 'READER_UNSUPPORTED',
		category: 'infrastructure',
		message: `${gitDir} has ${reason}, which the built-in reader does not read correctly`,
		hint: 'Install git and read the repository through it.',
		data: { gitDir, reason },
	});
}
