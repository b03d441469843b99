import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentClone } from './agent-clone.ts';
import { isObjectId } from './object-id.ts';
import type { Repository } from './repository.ts';

/** A commit that the agent left on some ref of its clone and that is not the parent. */
export interface AgentTip {
	readonly name: string;
	readonly commit: string;
}

const maxTips = 50;

/**
 * What the agent committed, on whatever branch, brought into the scratch repository by transport with object checks.
 * The clone's `.git` is the agent's: it is asked through `upload-pack`, which runs nothing that lies there, and when it
 * is broken, gone or a pointer elsewhere, the files of the clone are still the whole truth.
 */
export async function fetchAgentTips(
	repository: Repository,
	clone: AgentClone,
): Promise<{ readonly tips: readonly AgentTip[]; readonly notes: readonly string[] }> {
	const { git, scratch } = repository;
	const gitDir = join(clone.folder, '.git');
	const stat = await lstat(gitDir).catch(() => null); // whatever the reason: it cannot be read
	if (stat === null || !stat.isDirectory()) {
		return { tips: [], notes: ['the clone’s .git is gone or is not a folder: its commits could not be looked for'] };
	}
	const call = { gitDir: scratch.gitDir, durable: false, deadlineMs: 120_000 };
	const listed = await git.run(['ls-remote', '--quiet', gitDir], call);
	if (listed.exitCode !== 0) {
		return { tips: [], notes: [`the clone’s .git is broken: ${lastLine(listed.stderr)}`] };
	}
	const byCommit = new Map<string, string>();
	for (const line of listed.stdout.toString('utf8').split('\n')) {
		const [commit = '', name = ''] = line.split('\t');
		const known = byCommit.get(commit);
		if (!isObjectId(commit) || commit === clone.parentCommit || name.endsWith('^{}')) continue;
		if (known === undefined || known === 'HEAD') byCommit.set(commit, name);
	}
	const wanted = [...byCommit].slice(0, maxTips);
	const notes = byCommit.size > maxTips ? [`the clone has ${byCommit.size} refs; ${maxTips} were looked at`] : [];
	const tips: AgentTip[] = [];
	if (wanted.length === 0) return { tips, notes };
	const fetched = await git.run(
		['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap=', gitDir].concat(
			wanted.map(([commit]) => commit),
		),
		call,
	);
	if (fetched.exitCode !== 0)
		return { tips, notes: [...notes, `the agent’s commits do not pass Git’s checks: ${lastLine(fetched.stderr)}`] };
	for (const [commit, name] of wanted) {
		const answer = await git.run(['merge-base', '--is-ancestor', commit, clone.parentCommit], call);
		if (answer.exitCode === 1) tips.push({ name, commit });
	}
	return { tips, notes };
}

function lastLine(text: string): string {
	return text.trim().split('\n').at(-1)!.slice(0, 300);
}
