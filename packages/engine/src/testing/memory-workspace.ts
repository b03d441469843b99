import { mkdir } from 'node:fs/promises';
import { sha256 } from '@kapso-evolve/contracts';
import type { OpenWorkspaceOptions, Workspace } from '@kapso-evolve/workspace-git';

/** Where commits are names: as much of Git as a campaign without a suite needs. The rest says that it is not there. */
export interface MemoryGit {
	readonly branches: Map<string, string>;
	open(options: OpenWorkspaceOptions): Promise<Workspace>;
}

const mainCommit = commitOf('main');
/** Files are nowhere kept, so all commits have the same. */
const memoryTree = commitOf('tree');

export function createMemoryGit(): MemoryGit {
	const branches = new Map([['main', mainCommit]]);
	const parents = new Map<string, string>();
	return {
		branches,
		async open({ path }) {
			await mkdir(path, { recursive: true });
			return workspaceAt(path, branches, parents);
		},
	};
}

function commitOf(name: string): string {
	return sha256(name).slice(0, 40);
}

function workspaceAt(root: string, branches: Map<string, string>, parents: Map<string, string>): Workspace {
	const absent = (what: string) => () => {
		throw new TypeError(`the memory workspace has no ${what}`);
	};
	const close = async () => {};

	return {
		root,
		gitDir: `${root}/.git`,
		created: false,
		mainCommit,
		gitVersion: 'memory',
		seed: { kind: 'none', commit: null, uncommitted: [] },
		objects: {
			async readCommit(commit) {
				return { tree: memoryTree, parents: [parents.get(commit) ?? mainCommit], message: '' };
			},
			readBlob: absent('blobs'),
			listTree: absent('trees'),
			close,
		},
		repairs: [],
		resolve: async (ref) => branches.get(ref) ?? absent(`ref ${ref}`)(),
		branches: async () => branches,
		commitFiles: absent('files on main'),
		async createAgentClone({ commit, folder }) {
			await mkdir(folder);
			return { folder, parentCommit: commit };
		},
		removeClone: close,
		workingTree: async () => ({ entries: absent('entries'), read: absent('files'), source: memoryTree }),
		async finalise({ branch, parentCommit }) {
			const commit = commitOf(branch);
			parents.set(commit, parentCommit);
			branches.set(branch, commit);
			const nothingLeft = { ignored: [], archive: null, notes: [] };
			return { status: 'committed', branch, commit, codeCommit: commit, treeDigest: sha256(commit), ...nothingLeft };
		},
		candidateTree: absent('trees'),
		treeDigest: async (commit) => sha256(commit),
		leaseTree: absent('worktrees'),
		materialize: absent('worktrees'),
		materializeTree: absent('worktrees'),
		diff: async () => '',
		changedPaths: async () => [],
		isAncestor: async () => true,
		checkout: absent('work tree'),
		checkoutBest: async ({ branch, commit }) => ({ ref: branch, commit }),
		close,
		[Symbol.asyncDispose]: close,
	};
}
