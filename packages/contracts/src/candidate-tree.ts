/** Git's kinds of tree entry that can be told from a mode. */
export type TreeEntryType = 'file' | 'link' | 'gitlink';

export interface TreeEntry {
	/** Relative, `/`-separated, byte-exact as UTF-8; an entry whose name is not UTF-8 never becomes a candidate. */
	readonly path: string;
	/** `100644`, `100755`, `120000` or `160000`. */
	readonly mode: string;
	readonly type: TreeEntryType;
	/** Size of the bytes; of the target text for a link; 0 for a gitlink. */
	readonly size: number;
}

/**
 * The files of one candidate, as fixed bytes. `workspace-git` makes one of a commit, `eval-integrity` of a folder;
 * whoever judges a candidate judges this and knows no Git.
 */
export interface CandidateTree {
	/** Every entry, sorted by path in byte order. */
	entries(): Promise<readonly TreeEntry[]>;
	/** The bytes of a file (or a link's target). Throws `KapsoError` `NO_SUCH_ENTRY` for another path. */
	read(path: string): Promise<Uint8Array>;
}
