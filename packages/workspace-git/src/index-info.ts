import { type PathBytes, toBytes } from './git/path-bytes.ts';
import { type GitCall, type GitRunner, gitFailed } from './git/runner.ts';

export interface IndexEntry {
	readonly path: PathBytes;
	/** `0` removes the path. */
	readonly mode: string;
	readonly id: string;
}

export function indexInfo(entries: readonly IndexEntry[]): Buffer {
	return toBytes(entries.map(({ path, mode, id }) => `${mode} ${id}\t${path}\0`).join(''));
}

/** Writes entries into an index. Git skips a path that it does not like with a warning and success: here it throws. */
export async function updateIndex(git: GitRunner, call: GitCall, entries: readonly IndexEntry[]): Promise<void> {
	if (entries.length === 0) return;
	const argv = ['update-index', '--add', '--replace', '-z', '--index-info'];
	const answer = await git.run(argv, { ...call, stdin: indexInfo(entries) });
	if (answer.exitCode !== 0 || answer.stderr.trim() !== '') throw gitFailed(argv, answer);
}
