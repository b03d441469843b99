export interface CommitObject {
	readonly tree: string;
	readonly parents: string[];
	readonly message: string;
}

export interface TreeObjectEntry {
	/** Relative to the root of the tree, in bytes. */
	readonly path: Buffer;
	/** `100644`, `100755`, `120000` or `160000`. */
	readonly mode: string;
	readonly type: 'blob' | 'commit';
	readonly id: string;
	/** Bytes of the blob; 0 for a gitlink. */
	readonly size: number;
}

/** Reads Git objects by id, never through a work tree: what a commit holds, not what a checkout made of it. */
export interface GitObjectReader {
	/** Throws `NO_SUCH_OBJECT` when the id names nothing or something else. */
	readCommit(id: string): Promise<CommitObject>;
	readBlob(id: string): Promise<Buffer>;
	/** Every file of a commit (or of a tree), sorted by path in byte order. */
	listTree(commitOrTree: string): Promise<readonly TreeObjectEntry[]>;
	close(): Promise<void>;
}
