import { readdir, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isAlive } from '@kapso-evolve/process';
import { WorkspaceCheckoutError } from './checkout-error.ts';
import { absolutePath, display, type PathBytes, toBytes } from './git/path-bytes.ts';
import { headCommit } from './head.ts';
import { updateIndex } from './index-info.ts';
import { lockHolders } from './lock-holders.ts';
import { classifyPath } from './path-state.ts';
import { type Repository, zeroId } from './repository.ts';
import { statOrNull } from './stat-or-null.ts';
import { clearIntent, intentPath, readIntent, type SwitchIntent } from './switch-intent.ts';
import { type ChangedPath, isAbsent, treeDifference } from './tree-difference.ts';

/**
 * Finishes or takes back a switch that was killed. Files are touched only when every changed path is explained by the
 * two commits: it is as in one of them, missing, or the beginning of the new bytes (a torn write). Anything else stops
 * with the list of paths. Returns what was done, or null when nothing was unfinished.
 */
export async function recoverSwitch(repository: Repository): Promise<string | null> {
	const intent = await readIntent(repository);
	if (intent === null) return null;
	const foreignLocks = isAlive(intent.writer) === 'dead' ? [] : await locksOf(repository);
	if (isAlive(intent.writer) === 'dead') await removeOwnLocks(repository, intent);
	const head = await headCommit(repository);
	if (head !== intent.from && head !== intent.to) {
		await clearIntent(repository.gitDir);
		return `the interrupted checkout of ${intent.to} was overtaken: HEAD has been moved to ${head} since`;
	}
	// Git moves HEAD last: an old HEAD means back, a new one means the files are there and only the record is left.
	const side = intent.from === null || head === intent.to ? 'to' : 'from';
	const changes = await treeDifference(repository, intent.from ?? (await emptyTree(repository)), intent.to);
	const unexplained: PathBytes[] = [];
	const repair: ChangedPath[] = [];
	for (const change of changes) {
		const state = await classifyPath(repository, change);
		if (state === 'unexplained') unexplained.push(change.path);
		else if (state !== side) repair.push(change);
	}
	if (unexplained.length > 0) throw unfinished(intent, unexplained);
	// With a lock of someone else's there and every file in place, Git had not begun: its index is untouched.
	if (repair.length > 0 && foreignLocks.includes(join(repository.gitDir, 'index.lock')))
		throw heldByOthers(intent, foreignLocks);
	if (repair.length > 0 || foreignLocks.length === 0) await restoreSide(repository, { side, changes, repair });
	await clearIntent(repository.gitDir);
	return side === 'to'
		? `finished the checkout of ${intent.to} that was interrupted`
		: `took back the checkout of ${intent.to} that was interrupted`;
}

/** What a failed switch from a branch without a commit wrote, at paths that were free and not staged before it. */
export async function takeBackNewPaths(repository: Repository, changes: readonly ChangedPath[]): Promise<void> {
	const repair: ChangedPath[] = [];
	for (const change of changes) {
		const state = await classifyPath(repository, change);
		if (state === 'to' || state === 'between') repair.push(change);
	}
	await restoreSide(repository, { side: 'from', changes, repair });
}

function heldByOthers(intent: SwitchIntent, locks: readonly string[]): WorkspaceCheckoutError {
	return new WorkspaceCheckoutError({
		target: intent.to,
		reason: 'locked',
		paths: locks.map((lock) => `.git/${basename(lock)}`),
		status: [],
		detail: 'a checkout was interrupted, and another program holds the repository',
		hint: 'Nothing was touched. End that program (or, when there is none, delete the lock), then run again.',
	});
}

function unfinished(intent: SwitchIntent, paths: readonly PathBytes[]): WorkspaceCheckoutError {
	return new WorkspaceCheckoutError({
		target: intent.to,
		reason: 'unfinished-switch',
		paths: paths.map(display),
		status: [],
		detail: 'a checkout was interrupted and these files are in neither of its two states: someone edited them since',
		hint: 'Nothing was touched. Copy these files away, `git restore` them, then run again.',
	});
}

async function restoreSide(
	repository: Repository,
	o: {
		readonly side: 'from' | 'to';
		readonly changes: readonly ChangedPath[];
		readonly repair: readonly ChangedPath[];
	},
): Promise<void> {
	const { git, gitDir, root } = repository;
	const call = { gitDir, workTree: root };
	const zero = zeroId(repository);
	// Only the changed paths: other entries of the index may carry staged work of the user's.
	const wanted = o.changes.map((change) =>
		isAbsent(change[o.side])
			? { path: change.path, mode: '0', id: zero }
			: { path: change.path, mode: change[o.side].mode, id: change[o.side].id },
	);
	// Removals first: a file that became a folder, or the other way round, must not meet its old self.
	const ordered = [...wanted.filter(({ mode }) => mode === '0'), ...wanted.filter(({ mode }) => mode !== '0')];
	await updateIndex(git, call, ordered);
	for (const change of o.repair.filter((candidate) => isAbsent(candidate[o.side]))) {
		await rm(absolutePath(root, change.path), { force: true });
		await pruneEmptyFolders(root, change.path);
	}
	const written = o.repair.filter((change) => !isAbsent(change[o.side])).map(({ path }) => path);
	if (written.length > 0) {
		await git.ok(['checkout-index', '--force', '--index', '--quiet', '-z', '--stdin'], {
			...call,
			stdin: toBytes(written.map((path) => `${path}\0`).join('')),
			mayOverwrite: 'every one of these paths was proven to hold nothing but bytes of the two commits',
		});
	}
	await git.run(['update-index', '-q', '--refresh'], call);
}

async function pruneEmptyFolders(root: string, path: PathBytes): Promise<void> {
	for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
		const folder = absolutePath(root, path.slice(0, end));
		const children = await readdir(folder).catch(() => null); // gone already
		if (children === null) continue;
		if (children.length > 0) return;
		await rmdir(folder);
	}
}

export async function emptyTree(repository: Repository): Promise<string> {
	return repository.git.line(['hash-object', '-t', 'tree', '-w', '--stdin'], {
		gitDir: repository.scratch.gitDir,
		durable: false,
		stdin: '',
	});
}

async function locksOf(repository: Repository): Promise<string[]> {
	const found = [];
	for (const name of ['index.lock', 'HEAD.lock']) {
		const path = join(repository.gitDir, name);
		if ((await statOrNull(path)) !== null) found.push(path);
	}
	return found;
}

/** Lock files of the switch that the intent is about: its engine is dead and nobody has them open any more. */
async function removeOwnLocks(repository: Repository, intent: SwitchIntent): Promise<void> {
	let left = await locksOf(repository);
	// The engine's git may have outlived it: it gets the time to end by itself.
	for (let wait = 0; wait < 50 && left.length > 0 && (await lockHolders(left)) !== 0; wait++) {
		await new Promise((resolve) => setTimeout(resolve, 100));
		left = await locksOf(repository);
	}
	if (left.length > 0 && (await lockHolders(left)) === 0) {
		const begun = (await statOrNull(intentPath(repository.gitDir)))?.mtimeMs ?? Number.POSITIVE_INFINITY;
		for (const lock of left) {
			const stat = await statOrNull(lock);
			if (stat !== null && stat.mtimeMs >= begun) await rm(lock, { force: true });
		}
		left = await locksOf(repository);
	}
	if (left.length === 0) return;
	throw heldByOthers(intent, left);
}
