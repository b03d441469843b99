import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from './repository.ts';

type HeadOf = Pick<Repository, 'git' | 'gitDir'>;

/** The commit that HEAD is at, or null when it has none yet. */
export async function headCommit({ git, gitDir }: HeadOf): Promise<string | null> {
	const answer = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { gitDir });
	return answer.exitCode === 0 ? answer.stdout.toString('latin1').trim() : null;
}

/** The branch that HEAD names, or null when it is detached. */
export async function currentBranch({ git, gitDir }: HeadOf): Promise<string | null> {
	const prefix = 'ref: refs/heads/';
	const text = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim();
	// With reftable storage the file holds a name that cannot exist, and only Git knows.
	if (text !== `${prefix}.invalid`) return text.startsWith(prefix) ? text.slice(prefix.length) : null;
	const answer = await git.run(['symbolic-ref', '--quiet', 'HEAD'], { gitDir });
	return answer.exitCode === 0
		? answer.stdout
				.toString('utf8')
				.trim()
				.replace(/^refs\/heads\//, '')
		: null;
}
