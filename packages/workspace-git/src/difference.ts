import { display } from './git/path-bytes.ts';
import { gitFailed } from './git/runner.ts';
import type { Repository } from './repository.ts';
import { treeDifference } from './tree-difference.ts';

const maxDiffBytes = 4 * 1024 * 1024;

/** Unified diff of two commits, at most 4 MiB; a cut one ends with a line that says so. */
export async function diffCommits(repository: Repository, from: string, to: string): Promise<string> {
	const argv = ['diff-tree', '-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv', '--find-renames', from, to];
	const answer = await repository.git.run(argv, {
		gitDir: repository.scratch.gitDir,
		durable: false,
		maxOutputBytes: maxDiffBytes,
	});
	if (answer.exitCode !== 0) throw gitFailed(argv, answer);
	const text = answer.stdout.toString('utf8');
	return answer.truncated ? `${text}\n[the diff is longer than ${maxDiffBytes} bytes and was cut here]\n` : text;
}

export async function changedPaths(repository: Repository, from: string, to: string): Promise<string[]> {
	return (await treeDifference(repository, from, to)).map(({ path }) => display(path));
}

export async function isAncestor(
	repository: Pick<Repository, 'git' | 'gitDir'>,
	ancestor: string,
	descendant: string,
): Promise<boolean> {
	const argv = ['merge-base', '--is-ancestor', ancestor, descendant];
	const answer = await repository.git.run(argv, { gitDir: repository.gitDir });
	if (answer.exitCode > 1) throw gitFailed(argv, answer);
	return answer.exitCode === 0;
}
