import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckoutRefusal } from './checkout-error.ts';
import { absolutePath, type PathBytes, splitNul } from './git/path-bytes.ts';
import { classifyPath } from './path-state.ts';
import type { Repository } from './repository.ts';
import { statOrNull } from './stat-or-null.ts';
import { type ChangedPath, isAbsent } from './tree-difference.ts';

export interface Obstacle {
	readonly reason: CheckoutRefusal;
	readonly paths: readonly PathBytes[];
}

/** Locks of other programs and operations of the user's that a switch would break or forget. */
export async function repositoryObstacle(repository: Repository): Promise<Obstacle | null> {
	const present = async (names: readonly string[]) => {
		const found = [];
		for (const name of names)
			if ((await statOrNull(join(repository.gitDir, name))) !== null) found.push(`.git/${name}`);
		return found;
	};
	const locks = await present(['index.lock', 'HEAD.lock']);
	if (locks.length > 0) return { reason: 'locked', paths: locks };
	const operations = await present([
		'MERGE_HEAD',
		'MERGE_MSG',
		'SQUASH_MSG',
		'CHERRY_PICK_HEAD',
		'REVERT_HEAD',
		'BISECT_LOG',
		'rebase-merge',
		'rebase-apply',
		'sequencer',
	]);
	return operations.length > 0 ? { reason: 'operation-in-progress', paths: operations } : null;
}

/**
 * What of the user's a switch would touch: edits (staged or not, deletions included) of paths that change, files and
 * folders (ignored ones too) where the target has a new path, links and nested repositories on the way. Null: nothing.
 */
export async function workTreeObstacle(
	repository: Repository,
	changes: readonly ChangedPath[],
): Promise<Obstacle | null> {
	if (changes.length === 0) return null;
	const changed = new Map(changes.map((change) => [change.path, change]));
	const edited = (await editedPaths(repository)).filter((path) => changed.has(path));
	edited.push(...(await hiddenEdits(repository, changed)));
	if (edited.length > 0) return { reason: 'local-changes', paths: [...new Set(edited)] };

	const leaves = (path: PathBytes) => {
		const change = changed.get(path);
		return change !== undefined && !isAbsent(change.from);
	};
	const found = new Map<CheckoutRefusal, Set<PathBytes>>();
	const report = (reason: CheckoutRefusal, path: PathBytes) => {
		const paths = found.get(reason) ?? new Set();
		found.set(reason, paths.add(path));
	};
	const folders = new Map<PathBytes, Promise<CheckoutRefusal | 'absent' | null>>();
	for (const { path, from } of changes) {
		const blocked = await ancestorObstacle({ repository, path, leaves, folders });
		if (blocked !== null) {
			if (blocked.reason !== 'absent') report(blocked.reason, blocked.path);
			continue;
		}
		if (!isAbsent(from)) continue;
		for (const obstacle of await newPathObstacles({ repository, path, leaves }))
			report('untracked-collision', obstacle);
	}
	for (const [reason, paths] of found) return { reason, paths: [...paths] };
	return null;
}

/** Paths of tracked files with a staged or unstaged difference, deletions and intents to add included. */
export async function editedPaths(repository: Repository): Promise<PathBytes[]> {
	const output = await repository.git.ok(['status', '--porcelain=v1', '-z', '--untracked-files=no', '--no-renames'], {
		gitDir: repository.gitDir,
		workTree: repository.root,
	});
	return splitNul(output).map((line) => line.slice(3));
}

/**
 * Edits that Git does not see: where it was told not to look (`--assume-unchanged`, `--skip-worktree`), and where size,
 * time and the second of the last change are those of its index, because Git compares no fractions of that second.
 */
async function hiddenEdits(repository: Repository, changed: ReadonlyMap<PathBytes, ChangedPath>): Promise<PathBytes[]> {
	const { git, gitDir, root } = repository;
	const output = await git.ok(['ls-files', '-v', '-z', '--debug'], { gitDir, workTree: root });
	const edited: PathBytes[] = [];
	for (const { path, tag, seconds, nanoseconds } of indexTimes(splitNul(output))) {
		const change = changed.get(path);
		if (change === undefined) continue;
		const isHidden = /[a-zS]/.test(tag) || (await isSameSecond(absolutePath(root, path), seconds, nanoseconds));
		if (isHidden && (await classifyPath(repository, change)) !== 'from') edited.push(path);
	}
	return edited;
}

/** Each entry's name ends with NUL; what is known about it begins the next part. */
function* indexTimes(
	parts: readonly string[],
): Generator<{ path: PathBytes; tag: string; seconds: bigint; nanoseconds: bigint }> {
	for (let at = 0; at + 1 < parts.length; at++) {
		const name = at === 0 ? parts[at]! : parts[at]!.replace(/^(?: {2}.*\n)+/, '');
		const [, seconds = '0', nanoseconds = '0'] = /^ {2}ctime: (\d+):(\d+)$/m.exec(parts[at + 1]!) ?? [];
		yield { path: name.slice(2), tag: name.charAt(0), seconds: BigInt(seconds), nanoseconds: BigInt(nanoseconds) };
	}
}

async function isSameSecond(path: Buffer, seconds: bigint, nanoseconds: bigint): Promise<boolean> {
	const stat = await lstat(path, { bigint: true }).catch(() => null); // deleted: Git sees that
	return stat !== null && stat.ctimeNs / 1_000_000_000n === seconds && stat.ctimeNs % 1_000_000_000n !== nanoseconds;
}

async function ancestorObstacle(o: {
	readonly repository: Repository;
	readonly path: PathBytes;
	readonly leaves: (path: PathBytes) => boolean;
	readonly folders: Map<PathBytes, Promise<CheckoutRefusal | 'absent' | null>>;
}): Promise<{ reason: CheckoutRefusal | 'absent'; path: PathBytes } | null> {
	for (let end = o.path.indexOf('/'); end !== -1; end = o.path.indexOf('/', end + 1)) {
		const folder = o.path.slice(0, end);
		let answer = o.folders.get(folder);
		if (answer === undefined) {
			answer = folderObstacle(o.repository, folder, o.leaves);
			o.folders.set(folder, answer);
		}
		const reason = await answer;
		if (reason !== null) return { reason, path: folder };
	}
	return null;
}

async function folderObstacle(
	repository: Repository,
	folder: PathBytes,
	leaves: (path: PathBytes) => boolean,
): Promise<CheckoutRefusal | 'absent' | null> {
	const stat = await statOrNull(absolutePath(repository.root, folder));
	if (stat === null) return 'absent';
	if (!stat.isDirectory()) {
		// A tracked file or link that the target replaces by a folder may go: it was found unedited above.
		if (leaves(folder)) return 'absent';
		return stat.isSymbolicLink() ? 'link-in-the-way' : 'untracked-collision';
	}
	return (await statOrNull(absolutePath(repository.root, `${folder}/.git`))) === null ? null : 'nested-repository';
}

/** A new path must be free; a folder there must hold nothing but tracked files that leave with this very switch. */
async function newPathObstacles(o: {
	readonly repository: Repository;
	readonly path: PathBytes;
	readonly leaves: (path: PathBytes) => boolean;
}): Promise<PathBytes[]> {
	const stat = await statOrNull(absolutePath(o.repository.root, o.path));
	if (stat === null) return [];
	if (!stat.isDirectory()) return [o.path];
	const obstacles: PathBytes[] = [];
	const pending = [o.path];
	for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
		const children = await readdir(absolutePath(o.repository.root, folder), {
			withFileTypes: true,
			encoding: 'buffer',
		});
		if (children.length === 0) obstacles.push(folder); // an empty folder of the user's
		for (const child of children) {
			const path = `${folder}/${child.name.toString('latin1')}`;
			if (child.isDirectory()) pending.push(path);
			else if (!o.leaves(path)) obstacles.push(path);
		}
	}
	return obstacles;
}
