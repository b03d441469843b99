import { commitTree } from './finalise.ts';
import { currentBranch } from './head.ts';
import { ingestCommits } from './ingest.ts';
import { moveReference, resolveCommit } from './references.ts';
import type { Repository } from './repository.ts';
import { safeSwitch } from './safe-switch.ts';
import { type NewFile, treeWithFiles } from './tree-with-files.ts';

const main = 'refs/heads/main';

/** Puts files on `main` as one engine commit, without the user's index; the work tree follows when `main` is current. */
export async function commitFilesOnMain(
	repository: Repository,
	options: { readonly files: readonly NewFile[]; readonly replaceFolders: readonly string[]; readonly message: string },
): Promise<string> {
	const before = await resolveCommit(repository, main);
	const { tree } = await repository.objects.readCommit(before);
	const next = await treeWithFiles(repository, { tree, files: options.files, replaceFolders: options.replaceFolders });
	if (next === tree) return before;
	const commit = await commitTree(repository, { tree: next, parent: before, message: options.message });
	await ingestCommits(repository, { commits: [commit], known: [before] });
	// First the files (which can be refused), then the branch, then HEAD: killed anywhere, `main` is old or complete.
	const follows = (await currentBranch(repository)) === 'main';
	if (follows) await safeSwitch(repository, { branch: null, commit });
	await moveReference(repository, { name: main, from: before, to: commit });
	if (follows)
		await repository.git.ok(['symbolic-ref', '-m', 'kapso: main', 'HEAD', main], { gitDir: repository.gitDir });
	return commit;
}
