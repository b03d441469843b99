import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CandidateTree } from '@kapso-evolve/contracts';
import { createCandidateTree, createTreeDigest } from './candidate-tree.ts';
import { createCatFileReader } from './cat-file-reader.ts';
import { isAncestor } from './difference.ts';
import { findGit } from './git/find-git.ts';
import { listReferences } from './references.ts';

/** A campaign's repository for whoever only looks: no lock, no repair, not a byte written into it. */
export interface RepositoryReader {
	readonly gitVersion: string;
	/** Branch name -> commit. */
	branches(): Promise<ReadonlyMap<string, string>>;
	isAncestor(ancestor: string, descendant: string): Promise<boolean>;
	candidateTree(commit: string): CandidateTree;
	/** As `Workspace.treeDigest`: SHA-256 over names, modes and bytes. */
	treeDigest(commit: string): Promise<string>;
	/** Every object of the repository against its own id, and every ref against the objects; what git says is wrong. */
	findCorruption(): Promise<readonly string[]>;
	close(): Promise<void>;
}

/** Throws `GIT_MISSING` or `GIT_TOO_OLD` (infrastructure). */
export async function openRepositoryReader(options: {
	/** Absolute path of the campaign folder. */
	readonly path: string;
	/** PATH value to find git on. */
	readonly programs: string;
}): Promise<RepositoryReader> {
	const folder = await mkdtemp(join(tmpdir(), 'kapso-read-'));
	const globalConfig = join(folder, 'gitconfig');
	await writeFile(globalConfig, '[safe]\n\tdirectory = *\n');
	const { git, version } = await findGit({ folder, globalConfig, userEnvironment: { PATH: options.programs } });
	const repository = { git, gitDir: join(options.path, '.git') };
	const objects = createCatFileReader(repository);
	return {
		gitVersion: version,
		async branches() {
			const refs = await listReferences(repository, 'refs/heads/');
			return new Map([...refs].map(([name, commit]) => [name.slice('refs/heads/'.length), commit]));
		},
		isAncestor: (ancestor, descendant) => isAncestor(repository, ancestor, descendant),
		candidateTree: (commit) => createCandidateTree(objects, commit),
		treeDigest: createTreeDigest(objects),
		async findCorruption() {
			const answer = await git.run(['fsck', '--full', '--no-dangling', '--no-reflogs', '--no-progress'], {
				gitDir: repository.gitDir,
			});
			if (answer.exitCode === 0) return [];
			const said = `${answer.stdout.toString('utf8')}\n${answer.stderr}`
				.split('\n')
				.filter((line) => line.trim() !== '');
			return said.length > 0 ? said : [`git fsck ended with ${answer.exitCode}`];
		},
		async close() {
			await objects.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
