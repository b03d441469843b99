import { type CheckoutRefusal, WorkspaceCheckoutError } from './checkout-error.ts';
import { display, type PathBytes, splitNul } from './git/path-bytes.ts';
import { currentBranch, headCommit } from './head.ts';
import { fingerprintPaths } from './path-state.ts';
import { listReferences, resolveCommit } from './references.ts';
import type { Repository } from './repository.ts';
import { clearIntent, writeIntent } from './switch-intent.ts';
import { editedPaths, repositoryObstacle, workTreeObstacle } from './switch-preflight.ts';
import { emptyTree, recoverSwitch, takeBackNewPaths } from './switch-recovery.ts';
import { type ChangedPath, treeDifference } from './tree-difference.ts';

export interface SwitchTarget {
	/** Branch that becomes current; null: HEAD is detached at the commit. */
	readonly branch: string | null;
	readonly commit: string;
}

/** A branch of this name, or whatever else names a commit, detached. Throws `UNKNOWN_REF`. */
export async function findTarget(repository: Repository, ref: string): Promise<SwitchTarget> {
	const branch = (await listReferences(repository, `refs/heads/${ref}`)).get(`refs/heads/${ref}`);
	if (branch !== undefined) return { branch: ref, commit: branch };
	return { branch: null, commit: await resolveCommit(repository, ref) };
}

/**
 * Moves the root work tree to another commit without losing a byte of the user's: look first, say what is about to
 * happen, let Git switch with its protecting flags, verify. Throws `WorkspaceCheckoutError`, nothing changed.
 */
export async function safeSwitch(repository: Repository, target: SwitchTarget): Promise<void> {
	const { git, gitDir, root } = repository;
	const name = target.branch ?? target.commit;
	const refuse = async (reason: CheckoutRefusal, paths: readonly PathBytes[], detail?: string) =>
		new WorkspaceCheckoutError({
			target: name,
			reason,
			paths: paths.map(display),
			status: await statusLines(repository),
			...(detail === undefined ? {} : { detail }),
		});
	await recoverSwitch(repository);
	const blocked = await repositoryObstacle(repository);
	if (blocked !== null) throw await refuse(blocked.reason, blocked.paths);
	const head = await headCommit(repository);
	if (head === target.commit && (await currentBranch(repository)) === target.branch) return;
	const changes =
		head === null
			? await unstagedPaths(repository, target.commit)
			: await treeDifference(repository, head, target.commit);
	const obstacle = await workTreeObstacle(repository, changes);
	if (obstacle !== null) throw await refuse(obstacle.reason, obstacle.paths);

	const before = await fingerprintPaths(repository, changes);
	if (head !== null && changes.length > 0) await writeIntent(gitDir, { from: head, to: target.commit });
	const argv = ['switch', '--quiet', '--no-guess', '--no-overwrite-ignore', '--no-recurse-submodules'].concat(
		target.branch === null ? ['--detach', target.commit] : [target.branch],
	);
	const answer = await git.run(argv, { gitDir, workTree: root });
	if (answer.exitCode !== 0) {
		// Exit code and work tree can disagree: what was changed is taken back before anyone hears about it.
		if (changes.length > 0) {
			if ((await fingerprintPaths(repository, changes)) === before) await clearIntent(gitDir);
			else if (head === null) await takeBackNewPaths(repository, changes);
			else await recoverSwitch(repository);
		}
		const elsewhere = /is already (checked out|used by worktree) at/.test(answer.stderr);
		throw await refuse(elsewhere ? 'checked-out-elsewhere' : 'git-refused', [], answer.stderr.trim());
	}
	await verifySwitch(repository, target, new Set(changes.map(({ path }) => path)));
	if (changes.length > 0) await clearIntent(gitDir);
}

/** With HEAD on an unborn branch: the target's paths that nothing is staged at; the staged ones Git itself compares. */
async function unstagedPaths(repository: Repository, commit: string): Promise<ChangedPath[]> {
	const { git, gitDir, root } = repository;
	const staged = new Set(splitNul(await git.ok(['ls-files', '-z'], { gitDir, workTree: root })));
	const paths = await treeDifference(repository, await emptyTree(repository), commit);
	return paths.filter(({ path }) => !staged.has(path));
}

async function verifySwitch(
	repository: Repository,
	target: SwitchTarget,
	changed: ReadonlySet<PathBytes>,
): Promise<void> {
	const differences: PathBytes[] = [];
	if (changed.size > 0) {
		differences.push(...(await editedPaths(repository)).filter((path) => changed.has(path)));
	}
	const head = await headCommit(repository);
	const branch = await currentBranch(repository);
	if (head === target.commit && branch === target.branch && differences.length === 0) return;
	throw new WorkspaceCheckoutError({
		target: target.branch ?? target.commit,
		reason: 'unfinished-switch',
		paths: differences.map(display),
		status: await statusLines(repository),
		detail: `git reported success, but HEAD is ${branch ?? 'detached'} at ${head}`,
		hint: 'Another program writes into this folder; end it and run again.',
	});
}

async function statusLines(repository: Repository): Promise<string[]> {
	const answer = await repository.git.run(['status', '--porcelain', '-z', '--untracked-files=normal', '--no-renames'], {
		gitDir: repository.gitDir,
		workTree: repository.root,
	});
	return splitNul(answer.stdout).slice(0, 200).map(display);
}
