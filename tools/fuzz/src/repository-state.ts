import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Content, type Path, readAll } from './files.ts';
import { plainGit, splitNul } from './plain-git.ts';

/** Everything of a repository that belongs to its user. */
export interface RepositoryState {
	/** The work tree, nested repositories and empty folders included. */
	readonly files: ReadonlyMap<Path, Content>;
	/** Full name -> value, as it lies in the files; symbolic refs too. */
	readonly refs: ReadonlyMap<string, string>;
	readonly head: string;
	/** Path and stage -> flag, mode and blob. */
	readonly index: ReadonlyMap<string, string>;
	/** What else lies in the git dir and is not the engine's or Git's own book-keeping. */
	readonly private: ReadonlyMap<Path, Content>;
}

const bookkeeping =
	/^(objects|logs|refs|worktrees|kapso)(\/|$)|^(index|HEAD|ORIG_HEAD|packed-refs|info\/exclude|info\/attributes)$/;

export async function readRepository(root: string): Promise<RepositoryState> {
	const gitDir = join(root, '.git');
	const listed = await plainGit(root, ['-c', 'core.fsmonitor=false', 'ls-files', '--stage', '-v', '-z']);
	const index = new Map<string, string>();
	for (const line of splitNul(listed.stdout)) {
		const tab = line.indexOf('\t');
		const [flag = '', mode = '', id = '', stage = ''] = line.slice(0, tab).split(' ');
		index.set(`${line.slice(tab + 1)}\0${stage}`, `${flag} ${mode} ${id}`);
	}
	if (listed.exitCode !== 0) index.set('unreadable', listed.stderr);
	return {
		files: readAll(root, (path) => path === '.git'),
		refs: readRefs(gitDir),
		head: readFileSync(join(gitDir, 'HEAD'), 'utf8').trim(),
		index,
		private: readAll(gitDir, (path) => bookkeeping.test(path)),
	};
}

function readRefs(gitDir: string): Map<string, string> {
	const refs = new Map<string, string>();
	if (readdirSync(gitDir).includes('packed-refs')) {
		for (const line of readFileSync(join(gitDir, 'packed-refs'), 'utf8').split('\n')) {
			const [id = '', name = ''] = line.split(' ');
			if (/^[0-9a-f]{40,64}$/.test(id)) refs.set(name, id);
		}
	}
	for (const [path, content] of readAll(join(gitDir, 'refs'))) {
		if (content !== 'folder') refs.set(`refs/${path}`, content.slice(7).trim());
	}
	return refs;
}

/** The commit that HEAD is at; null when it has none. */
export function headCommitOf(state: RepositoryState): string | null {
	const branch = state.head.match(/^ref: (.*)$/)?.[1];
	return branch === undefined ? state.head : (state.refs.get(branch) ?? null);
}
