import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeThrown, KapsoError } from '@kapso-evolve/contracts';
import { splitNul } from './git/path-bytes.ts';
import { gitFailed } from './git/runner.ts';
import { isObjectId } from './object-id.ts';
import { isLeftByEveryone } from './outliving-git.ts';
import { isOwnerDead, writeOwner } from './owner.ts';
import { createReferences, resolveCommit } from './references.ts';
import { removeFolder } from './remove-folder.ts';
import type { Repository } from './repository.ts';

export interface MaterializedCommit extends AsyncDisposable {
	/** A detached worktree of the campaign with exactly the files of the commit. */
	readonly path: string;
	readonly commit: string;
}

const reasonPrefix = 'kapso ';
const mostAttempts = 40;

/** Says which engine process made a worktree; written before it, removed after it. */
function ownerFile(path: string): string {
	return `${path}.owner.json`;
}

/**
 * An exact detached worktree below the state folder; the root work tree does not notice. Disposing removes it; a HEAD
 * that moved inside is kept first under `refs/kapso/rescue/`. Throws `UNKNOWN_REF`.
 */
export async function materializeCommit(repository: Repository, ref: string): Promise<MaterializedCommit> {
	const { git } = repository;
	const commit = await resolveCommit(repository, ref);
	const id = crypto.randomUUID();
	const base = join(repository.stateFolder, 'worktrees');
	const path = join(base, id);
	await mkdir(base, { recursive: true });
	await writeOwner(ownerFile(path));
	const remove = async () => {
		try {
			await repository.mutex.run(() => removeWorktree(repository, { path, id, expected: commit }));
		} catch (cause) {
			throw notRemoved(path, cause);
		}
		await rm(ownerFile(path), { force: true });
	};
	try {
		// Parallel `worktree add` fails one time in four: Git races with itself on its registry.
		await repository.mutex.run(() =>
			onRegistry(
				repository,
				['add', '--quiet', '--detach', '--no-checkout', '--lock', '--reason', `${reasonPrefix}${id}`].concat(
					path,
					commit,
				),
			),
		);
		const worktree = { gitDir: join(path, '.git'), workTree: path, durable: false };
		await git.ok(['read-tree', '-m', '-u', commit], { ...worktree, mayOverwrite: 'the worktree was made just now' });
		const differs = await git.run(['diff-index', '--quiet', commit], worktree);
		if (differs.exitCode !== 0) throw inexact(path, commit, differs.stderr);
	} catch (error) {
		await remove();
		throw error;
	}
	let removal: Promise<void> | undefined;
	return { path, commit, [Symbol.asyncDispose]: () => (removal ??= remove()) };
}

function notRemoved(path: string, cause: unknown): KapsoError {
	return new KapsoError({
		code: 'WORKTREE_NOT_REMOVED',
		category: 'infrastructure',
		message: `the worktree at ${path} could not be removed: ${describeThrown(cause)}`,
		hint: 'Nothing else was touched. It is swept at the next opening, once what holds it is gone.',
		data: { path },
		cause,
	});
}

function inexact(path: string, commit: string, detail: string): KapsoError {
	return new KapsoError({
		code: 'MATERIALIZE_INEXACT',
		category: 'infrastructure',
		message: `the worktree at ${path} is not exactly ${commit} ${detail}`.trim(),
		hint: 'Something else writes below the state folder; choose another with --work-dir.',
		data: { path, commit },
	});
}

async function removeWorktree(
	repository: Repository,
	worktree: { readonly path: string; readonly id: string; readonly expected: string | null },
): Promise<void> {
	const registered = (await listWorktrees(repository)).find(({ path }) => path === worktree.path);
	if (registered === undefined) {
		await removeFolder(worktree.path);
		return;
	}
	if (isObjectId(registered.head) && !/^0+$/.test(registered.head) && registered.head !== worktree.expected) {
		await rescue(repository, worktree.id, registered.head);
	}
	const remove = () => onRegistry(repository, ['remove', '--force', '--force', worktree.path]);
	try {
		await remove();
	} catch (error) {
		if (!KapsoError.isInstance(error) || error.code !== 'GIT_FAILED') throw error;
		// What ran there damaged the worktree's own `.git`: the folder is ours, Git unregisters a missing one.
		await removeFolder(worktree.path);
		await remove();
	}
}

/**
 * A `worktree` command. Each reads the whole registry before it does anything, and fails when another process is just
 * adding or removing an entry there: then it is said again. Within this process the mutex keeps them apart.
 */
async function onRegistry(repository: Repository, args: readonly string[]): Promise<Buffer> {
	const argv = ['worktree', ...args];
	const call = {
		gitDir: repository.gitDir,
		durable: false,
		mayOverwrite: 'a worktree of the engine, registered under its own reason',
	};
	for (let attempt = 1; ; attempt++) {
		const answer = await repository.git.run(argv, call);
		if (answer.exitCode === 0 && !answer.truncated) return answer.stdout;
		const isRace = /failed to read .*\/(commondir|gitdir|HEAD)|Invalid path '.*\/worktrees\//.test(answer.stderr);
		if (!isRace || attempt === mostAttempts) throw gitFailed(argv, answer);
		await sleep(attempt * 5 * Math.random());
	}
}

async function rescue(repository: Repository, id: string, head: string): Promise<void> {
	const reachable = await repository.git.ok(['for-each-ref', '--count=1', '--contains', head, '--format=%(refname)'], {
		gitDir: repository.gitDir,
	});
	if (reachable.length === 0) await createReferences(repository, new Map([[`refs/kapso/rescue/${id}`, head]]));
}

interface RegisteredWorktree {
	readonly path: string;
	readonly head: string;
	readonly lockReason: string | null;
}

async function listWorktrees(repository: Repository): Promise<RegisteredWorktree[]> {
	const output = await onRegistry(repository, ['list', '--porcelain', '-z']);
	const worktrees: RegisteredWorktree[] = [];
	let current: Map<string, string> = new Map();
	for (const line of splitNul(output)) {
		if (line === '') {
			worktrees.push(toWorktree(current));
			current = new Map();
		} else {
			const space = line.indexOf(' ');
			current.set(space === -1 ? line : line.slice(0, space), space === -1 ? '' : line.slice(space + 1));
		}
	}
	if (current.size > 0) worktrees.push(toWorktree(current));
	return worktrees;
}

function toWorktree(fields: ReadonlyMap<string, string>): RegisteredWorktree {
	const text = (value: string) => Buffer.from(value, 'latin1').toString('utf8');
	const reason = fields.get('locked');
	return {
		path: text(fields.get('worktree') ?? ''),
		head: fields.get('HEAD') ?? '',
		lockReason: reason === undefined ? null : text(reason),
	};
}

/** Removes worktrees that a killed engine left: below our state folder, locked with our reason, the process dead. */
export async function sweepWorktrees(repository: Repository): Promise<string[]> {
	const repairs: string[] = [];
	const base = join(repository.stateFolder, 'worktrees');
	const registered =
		(await lstat(join(repository.gitDir, 'worktrees')).catch(() => null)) === null // never had one
			? []
			: await listWorktrees(repository);
	for (const { path, lockReason } of registered) {
		if (!path.startsWith(`${base}/`) || lockReason === null) continue;
		// "initializing" is Git's own reason while `worktree add` runs.
		if (!lockReason.startsWith(reasonPrefix) && lockReason !== 'initializing') continue;
		if (!(await isOwnerDead(ownerFile(path)))) continue;
		if (!(await isLeftByEveryone(path))) continue;
		const stat = await lstat(path).catch(() => null); // a missing one is unregistered just the same
		if (stat !== null && !stat.isDirectory()) continue;
		await removeWorktree(repository, { path, id: path.slice(base.length + 1), expected: null });
		await rm(ownerFile(path), { force: true });
		repairs.push(`removed the worktree ${path} that a killed engine left`);
	}
	// Folders that Git does not know any more, or not yet, and that say whose they were.
	for (const name of await readdir(base).catch(() => [])) {
		const path = join(base, name.replace(/\.owner\.json$/, ''));
		if (name !== basename(ownerFile(path)) || registered.some((one) => one.path === path)) continue;
		if (!(await isOwnerDead(ownerFile(path)))) continue;
		if (!(await isLeftByEveryone(path))) continue;
		await removeWorktree(repository, { path, id: basename(path), expected: null });
		await rm(ownerFile(path), { force: true });
		repairs.push(`removed the folder ${path} that a killed engine left`);
	}
	return repairs;
}
