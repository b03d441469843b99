import type { Content, Path } from './files.ts';
import { git, plainGit, splitNul } from './plain-git.ts';

/** What commits hold, by stock Git's word: the second opinion on everything that the workspace does. */
export interface Oracle {
	files(commit: string): Promise<ReadonlyMap<Path, Content>>;
	/** For a commit that the fuzzer wrote itself. */
	know(commit: string, files: ReadonlyMap<Path, Content>): void;
}

export function createOracle(repository: string): Oracle {
	const known = new Map<string, ReadonlyMap<Path, Content>>();
	return {
		know: (commit, files) => known.set(commit, files),
		async files(commit) {
			let files = known.get(commit);
			if (files === undefined) {
				files = await readCommit(repository, commit);
				known.set(commit, files);
			}
			return files;
		},
	};
}

async function readCommit(repository: string, commit: string): Promise<Map<Path, Content>> {
	const lines = splitNul(await git(repository, ['ls-tree', '-r', '-z', '--full-tree', commit]));
	const entries = lines.map((line) => {
		const tab = line.indexOf('\t');
		const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
		return { mode, id, path: line.slice(tab + 1) };
	});
	const blobs = entries.filter(({ mode }) => mode !== '160000');
	const { stdout } = await plainGit(repository, ['cat-file', '--batch'], blobs.map(({ id }) => `${id}\n`).join(''));
	const files = new Map<Path, Content>();
	let offset = 0;
	for (const { mode, path } of blobs) {
		const end = stdout.indexOf('\n', offset);
		const size = Number(stdout.slice(offset, end).split(' ')[2]);
		files.set(path, `${mode} ${stdout.slice(end + 1, end + 1 + size)}`);
		offset = end + 1 + size + 1;
	}
	for (const { mode, id, path } of entries) if (mode === '160000') files.set(path, `160000 ${id}`);
	return files;
}
