import type { EvaluationFile } from '@kapso-evolve/contracts';
import type { HashedEntry } from '@kapso-evolve/durable-fs';

/** `visible`: the suite is committed to the campaign and sits in agents' clones. `private`: it never enters either. */
export type SuiteVisibility = 'visible' | 'private';

/** A caller's evaluation suite, as fixed bytes. */
export interface Suite {
	/** The caller's folder, absolute. */
	readonly source: string;
	/** The snapshot that scores; equals `source` after `inspectSuite`, which makes none. */
	readonly root: string;
	/** SHA-256 over path, mode and bytes of every file; over the evaluation, too, where it came from configuration, and
	 * over the content of mounts that ask for it. */
	readonly digest: string;
	/** Every file, sorted by path in byte order. */
	readonly entries: readonly HashedEntry[];
	/** Null: the suite has no commands, so the agent runs it and reports (level `published-rule`). */
	readonly evaluation: EvaluationFile | null;
	/** SHA-256 of the evaluation with every default filled in, as canonical JSON. */
	readonly evaluationDigest: string | null;
	readonly visibility: SuiteVisibility;
	/** The mounts whose content is part of the digest, in the order of the evaluation. */
	readonly mounts: readonly MountDigest[];
}

/** A folder of the machine that every phase may read, as it was when the suite was captured. */
export interface MountDigest {
	readonly path: string;
	readonly sha256: string;
	/** Cheap sign that nothing moved since; see `treeStamp`. */
	readonly stamp: string;
}

/** The caller's data set (`kapso_datasets`), as fixed bytes. */
export interface DataSnapshot {
	readonly source: string;
	readonly root: string;
	readonly digest: string;
	readonly entries: readonly HashedEntry[];
	/** Cheap sign that nothing moved since the bytes were hashed; see `treeStamp`. Absent: they are always hashed. */
	readonly stamp?: string;
}

/** Tells the two apart: only a suite has a visibility. */
export function isSuite(captured: Suite | DataSnapshot): captured is Suite {
	return 'visibility' in captured;
}
