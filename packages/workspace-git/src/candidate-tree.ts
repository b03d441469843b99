import { type CandidateTree, canonicalJson, KapsoError, sha256, type TreeEntry } from '@kapso-evolve/contracts';
import { asText, display } from './git/path-bytes.ts';
import type { GitObjectReader, TreeObjectEntry } from './object-reader.ts';

/** A tree of the repository as the judges of candidates see it. `source` is a commit or a tree id. */
export interface GitCandidateTree extends CandidateTree {
	readonly source: string;
}

export function createCandidateTree(objects: GitObjectReader, source: string): GitCandidateTree {
	let listing: Promise<Map<string, Listed>> | null = null;
	const list = () => (listing ??= listEntries(objects, source));
	return {
		source,
		entries: async () => [...(await list()).values()].map(({ entry }) => entry),
		async read(path) {
			const found = (await list()).get(path);
			if (found === undefined || found.entry.type === 'gitlink') {
				throw new KapsoError({
					code: 'NO_SUCH_ENTRY',
					category: 'usage',
					message: `${source} has no file ${path}`,
					hint: 'Paths are relative to the root of the tree, with / between components.',
					data: { path, source },
				});
			}
			return objects.readBlob(found.id);
		},
	};
}

interface Listed {
	readonly entry: TreeEntry;
	readonly id: string;
}

async function listEntries(objects: GitObjectReader, source: string): Promise<Map<string, Listed>> {
	const listed = new Map<string, Listed>();
	for (const raw of await objects.listTree(source)) {
		const path = textPath(raw);
		const type = raw.mode === '120000' ? 'link' : raw.mode === '160000' ? 'gitlink' : 'file';
		listed.set(path, { entry: { path, mode: raw.mode, type, size: raw.size }, id: raw.id });
	}
	return listed;
}

export function textPath(raw: TreeObjectEntry): string {
	const path = asText(raw.path.toString('latin1'));
	if (path !== null) return path;
	const shown = display(raw.path.toString('latin1'));
	throw treePathPolicy([{ path: shown, reason: 'the name is not UTF-8' }]);
}

export function treePathPolicy(problems: readonly { readonly path: string; readonly reason: string }[]): KapsoError {
	return new KapsoError({
		code: 'TREE_PATH_POLICY',
		category: 'verdict',
		message: `a tree cannot be written as a plain folder: ${problems[0]!.path} (${problems[0]!.reason})`,
		hint: 'Rename or remove what is named; links must be relative and stay inside the tree.',
		data: { paths: problems.map(({ path }) => path), problems },
	});
}

/**
 * SHA-256 over the names, modes, kinds and bytes of a tree: `canonicalJson([{ path, mode, type, sha256 }, …])` in byte
 * order of the paths; a link's bytes are its target. Independent of Git's own hash.
 */
export function createTreeDigest(objects: GitObjectReader): (commit: string) => Promise<string> {
	const digests = new Map<string, Promise<string>>();
	const blobDigests = new Map<string, string>();
	const blobDigest = async (id: string): Promise<string> => {
		const known = blobDigests.get(id);
		if (known !== undefined) return known;
		const digest = sha256(await objects.readBlob(id));
		blobDigests.set(id, digest);
		return digest;
	};
	const compute = async (commit: string): Promise<string> => {
		const raw = await objects.listTree(commit);
		const entries = [];
		// In portions: every blob of a large tree at once would be in memory at once.
		for (let at = 0; at < raw.length; at += 64) {
			const portion = raw.slice(at, at + 64).map(async (file) => ({
				path: textPath(file),
				mode: file.mode,
				type: file.mode === '120000' ? 'link' : file.type === 'commit' ? 'gitlink' : 'file',
				sha256: file.type === 'commit' ? sha256(file.id) : await blobDigest(file.id),
			}));
			entries.push(...(await Promise.all(portion)));
		}
		return sha256(canonicalJson(entries));
	};
	return (commit) => {
		let digest = digests.get(commit);
		if (digest === undefined) {
			digest = compute(commit);
			digests.set(commit, digest);
			digest.catch(() => digests.delete(commit));
		}
		return digest;
	};
}
