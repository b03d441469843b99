import type { CandidateTree, Clock } from '@kapso-evolve/contracts';
import type { AgentClone } from './agent-clone.ts';
import type { Finalised, FinaliseOptions } from './finalise.ts';
import type { MaterializedCommit } from './materialize.ts';
import type { MaterializeTreeOptions } from './materialize-tree.ts';
import type { GitObjectReader } from './object-reader.ts';
import type { LeasedTree, LeaseTreeOptions } from './tree-pool.ts';
import type { NewFile } from './tree-with-files.ts';

export interface OpenWorkspaceOptions {
	/** Absolute path of the campaign folder. */
	readonly path: string;
	/** Absolute path of a repository or a plain folder, or anything that `git clone` takes. Only for a new campaign. */
	readonly seed?: string;
	/** Take the seed repository's uncommitted files along, as a commit of their own. Default false: they are reported. */
	readonly includeUncommitted?: boolean;
	/** Take files that look like secrets (`.env`, `id_rsa`, `*.pem`, …) from a plain folder. Default false: refused. */
	readonly allowSecrets?: boolean;
	/** Default `allowed`. */
	readonly existing?: 'required' | 'refused' | 'allowed';
	/** Bring the root work tree to `main` where that is safe. Default true; a dirty tree stays as it is. */
	readonly checkoutMain?: boolean;
	/** Absolute; outside the campaign: temporary clones, worktrees and indexes. */
	readonly stateFolder: string;
	/** PATH for git; the rest only for cloning a seed: credentials, proxies, ssh. */
	readonly userEnvironment: Readonly<Record<string, string>>;
	readonly clock?: Clock;
	readonly signal?: AbortSignal;
}

export interface SeedReport {
	readonly kind: 'none' | 'repository' | 'folder' | 'url';
	/** The commit that the campaign starts from; null without a seed. */
	readonly commit: string | null;
	/** Uncommitted files of a seed repository that were not taken. */
	readonly uncommitted: readonly string[];
}

/** A campaign's Git repository. Every commit id is a full one; nothing here deletes or moves a branch of the user's. */
export interface Workspace extends AsyncDisposable {
	readonly root: string;
	readonly gitDir: string;
	readonly created: boolean;
	/** `main` when the workspace was opened. */
	readonly mainCommit: string;
	readonly gitVersion: string;
	readonly seed: SeedReport;
	readonly objects: GitObjectReader;
	/** What opening had to finish, take back or leave as it is. */
	readonly repairs: readonly string[];
	/** Throws `UNKNOWN_REF`. */
	resolve(ref: string): Promise<string>;
	/** Branch name -> commit. */
	branches(): Promise<ReadonlyMap<string, string>>;
	/** An engine commit on `main`; the work tree follows by the safe switch. No commit when nothing changes. */
	commitFiles(options: {
		readonly files: readonly NewFile[];
		/** Folders that become exactly what `files` says. */
		readonly replaceFolders: readonly string[];
		readonly message: string;
	}): Promise<string>;
	createAgentClone(options: { readonly commit: string; readonly folder: string }): Promise<AgentClone>;
	/** Out of its place when this returns, off the disk soon after: at the latest when the workspace is closed. */
	removeClone(clone: AgentClone): Promise<void>;
	/** What `finalise` would commit now; nothing of the agent's runs. Throws `CANDIDATE_REJECTED`. */
	workingTree(clone: AgentClone): Promise<CandidateTree>;
	/** Throws `CANDIDATE_REJECTED` (verdict; the clone is kept) and `REF_EXISTS`. */
	finalise(options: FinaliseOptions): Promise<Finalised>;
	candidateTree(commit: string): CandidateTree;
	/** SHA-256 over names, modes and bytes. */
	treeDigest(commit: string): Promise<string>;
	/** An exact detached worktree; dispose removes it. */
	materialize(ref: string): Promise<MaterializedCommit>;
	/** A plain folder of a commit, or of a tree that this workspace gave. Throws `TREE_PATH_POLICY`. */
	materializeTree(source: string | CandidateTree, options: MaterializeTreeOptions): Promise<void>;
	/**
	 * The same as a folder of the engine's own, for readers that see it through a read-only mount: the difference to an
	 * earlier one is written, then every byte is proven. Throws `TREE_PATH_POLICY`. Dispose gives it back.
	 */
	leaseTree(source: string | CandidateTree, options?: LeaseTreeOptions): Promise<LeasedTree>;
	diff(from: string, to: string): Promise<string>;
	changedPaths(from: string, to: string): Promise<readonly string[]>;
	isAncestor(ancestor: string, descendant: string): Promise<boolean>;
	/** Safe switch of the root work tree. Throws `WorkspaceCheckoutError`, `UNKNOWN_REF`. */
	checkout(ref: string): Promise<void>;
	/** As `checkout`, for a branch that must still be at this commit; proves that the work tree is on it. */
	checkoutBest(options: { readonly branch: string; readonly commit: string }): Promise<{ ref: string; commit: string }>;
	close(): Promise<void>;
}
