import { copyFile, mkdir, readdir, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError, sha256 } from '@kapso-evolve/contracts';
import type { Repository } from './repository.ts';
import { writeGitDir } from './repository-files.ts';

export interface AgentClone {
	/** Absolute and without links; `.git` and the files of the parent commit on a branch `candidate`. */
	readonly folder: string;
	readonly parentCommit: string;
}

/** So that the agent's `git commit` works whatever the machine's settings are. */
const agentSettings = `[user]
	name = Kapso agent
	email = agent@kapso-evolve.invalid
[commit]
	gpgSign = false
[tag]
	gpgSign = false
[gc]
	auto = 0
`;

/**
 * A repository for one agent: no shared object, no hard link, that commit's history only, no remote. The folder must
 * be absent or empty: `CLONE_FOLDER_IN_USE` otherwise.
 */
export async function createAgentClone(
	repository: Repository,
	options: { readonly commit: string; readonly folder: string },
): Promise<AgentClone> {
	const { git, objectFormat } = repository;
	const { commit } = options;
	await mkdir(options.folder, { recursive: true });
	const folder = await realpath(options.folder);
	if ((await readdir(folder)).length > 0) {
		throw new KapsoError({
			code: 'CLONE_FOLDER_IN_USE',
			category: 'infrastructure',
			message: `${folder} is not empty: a folder that an agent may have touched is never reused`,
			hint: 'Give every attempt a folder of its own.',
			data: { folder },
		});
	}
	const gitDir = join(folder, '.git');
	const scratch = { gitDir, durable: false };
	await writeGitDir(gitDir, { branch: 'candidate', bare: false, objectFormat, settings: agentSettings });
	await copyHistory(repository, { commit, gitDir });
	const indexFile = agentIndexFile(repository, folder);
	await mkdir(join(indexFile, '..'), { recursive: true });
	await rm(indexFile, { force: true });
	await git.ok(['read-tree', '-m', '-u', commit], {
		...scratch,
		workTree: folder,
		indexFile,
		mayOverwrite: 'the folder was empty a moment ago and is nobody else’s',
	});
	// The agent gets a copy with the same time: Git re-hashes files that are as young as their index.
	const { atime, mtime } = await stat(indexFile);
	await copyFile(indexFile, join(gitDir, 'index'));
	await utimes(join(gitDir, 'index'), atime, mtime);
	return { folder, parentCommit: commit };
}

/**
 * As a pack that Git writes into the clone: what a fetch would bring, without the second process that unpacks it and
 * the third that walks it again. The objects are the campaign's own, which were checked when they came in.
 */
async function copyHistory(
	{ git, gitDir: campaign }: Repository,
	{ commit, gitDir }: { readonly commit: string; readonly gitDir: string },
): Promise<void> {
	const packs = join(gitDir, 'objects', 'pack');
	await mkdir(packs, { recursive: true });
	await git.ok(['pack-objects', '--quiet', '--revs', '--delta-base-offset', '--window=0', join(packs, 'pack')], {
		gitDir: campaign,
		durable: false,
		stdin: `${commit}\n`,
	});
	// A shallow history ends in the clone where it ends in the campaign.
	await copyFile(join(campaign, 'shallow'), join(gitDir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== 'ENOENT') throw error;
	});
	await writeFile(join(gitDir, 'refs', 'heads', 'candidate'), `${commit}\n`);
}

/** The engine's own index of a clone, out of the agent's reach; its file times make the next snapshot cheap. */
export function agentIndexFile(repository: Repository, folder: string): string {
	return join(repository.scratch.folder, 'indexes', sha256(folder).slice(0, 16));
}

export async function removeAgentClone(repository: Repository, clone: AgentClone): Promise<void> {
	await rm(agentIndexFile(repository, clone.folder), { force: true });
	await repository.scratch.trash.discard(clone.folder);
}
