import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { display, type PathBytes, splitNul, toBytes } from './git/path-bytes.ts';
import { type GitCall, type GitRunner, gitFailed } from './git/runner.ts';
import { type IndexEntry, indexInfo, updateIndex } from './index-info.ts';
import { memoryPath } from './repository-files.ts';
import { type PathProblem, pathProblems } from './tree-policy.ts';
import { type WalkedFile, walkFolder } from './walk.ts';

export interface Snapshot {
	readonly tree: string;
	readonly entries: readonly IndexEntry[];
	/** What lies in the folder and is not in the tree: ignored files, state folders, devices. */
	readonly leftOut: readonly WalkedFile[];
	readonly notes: readonly string[];
}

export interface SnapshotOptions {
	readonly git: GitRunner;
	/** An engine-owned git dir: its settings, attributes and ignore rules count, those of the folder's `.git` do not. */
	readonly gitDir: string;
	readonly folder: string;
	/** The commit whose tracked files stay tracked even where they are ignored; null: nothing is tracked yet. */
	readonly base: string | null;
	/** Engine-owned; warm (with file times) when this engine checked the folder out itself. */
	readonly indexFile: string;
	readonly signal?: AbortSignal;
}

/**
 * Turns the files of a folder into a tree. The folder's own `.git` is not read: no filter, hook, monitor, index or
 * object of whoever worked there takes part. Repositories inside become plain files (their `.git` is left out).
 * `.kapso/` is the base's, whatever lies on the disk. Throws `CANDIDATE_REJECTED` (verdict) with the paths.
 */
export async function snapshotFolder(options: SnapshotOptions): Promise<Snapshot> {
	const { git, gitDir, folder, base, indexFile } = options;
	const call: GitCall = {
		gitDir,
		workTree: folder,
		indexFile,
		durable: false,
		...(options.signal === undefined ? {} : { signal: options.signal }),
	};
	const walked = await walkFolder(folder).catch((error: NodeJS.ErrnoException) => {
		if (!['EACCES', 'EPERM'].includes(error.code ?? '')) throw error;
		throw rejected([{ path: folder, reason: `it cannot be read: ${error.message}` }]);
	});
	await mkdir(dirname(indexFile), { recursive: true });
	if (!(await exists(indexFile))) await git.ok(['read-tree', base ?? '--empty'], call);

	const nested = outermost(walked.nestedRepositories);
	// Excluding an ignored folder is an error to git, and not needed: nothing new is taken from there.
	const ignored = await ignoredPaths(git, call, nested);
	const exclusions = nested.filter((path) => !ignored.has(path)).map((path) => `:(top,exclude,literal)${path}`);
	const pathspecs = [':/', ...exclusions].map((spec) => `${spec}\0`).join('');
	const added = await git.run(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
		...call,
		stdin: toBytes(pathspecs),
	});
	if (added.exitCode !== 0) throw rejected([{ path: folder, reason: added.stderr.trim() || 'git add failed' }]);
	if (nested.length > 0) await takeNestedAsFiles({ git, call, nested, files: walked.files });

	const [listed, baseState, written] = await Promise.all([
		listIndex(git, call),
		base === null ? [] : listTreeBelow({ git, call, commit: base, path: memoryPath.split('/')[0]! }),
		git.run(['write-tree'], call), // the tree of most candidates; others are written again below
	]);
	const setAside = await restoreStateFolder({ git, call, entries: listed, wanted: baseState });
	const entries = setAside === null ? listed : await listIndex(git, call);
	const problems = await newProblems(options, entries);
	if (problems.length > 0) throw rejected(problems);
	const isFinal = setAside === null && written.exitCode === 0;
	const tree = isFinal ? written.stdout.toString('latin1').trim() : await git.line(['write-tree'], call);
	const inTree = new Set(entries.map((entry) => entry.path));
	return {
		tree,
		entries,
		leftOut: walked.files.filter((file) => !inTree.has(file.path) || setAside?.has(file.path)),
		notes: nested.map(
			(path) => `${display(path)} is a repository of its own: its files were taken as files, its .git was left`,
		),
	};
}

/** Problems that the base does not have already: twins in case that a seed came with are the user's own business. */
async function newProblems(o: SnapshotOptions, entries: readonly IndexEntry[]): Promise<PathProblem[]> {
	const problems = pathProblems(entries);
	if (problems.length === 0 || o.base === null) return problems;
	const call = { gitDir: o.gitDir, durable: false };
	const known = pathProblems(await listTreeBelow({ git: o.git, call, commit: o.base, path: ':/' }));
	return problems.filter(({ path, reason }) => !known.some((old) => old.path === path && old.reason === reason));
}

export function rejected(problems: readonly PathProblem[]): KapsoError {
	const shown = problems.slice(0, 5).map(({ path, reason }) => `${path} (${reason})`);
	return new KapsoError({
		code: 'CANDIDATE_REJECTED',
		category: 'verdict',
		message: `these files cannot become a candidate: ${shown.join('; ')}${problems.length > 5 ? '; …' : ''}`,
		hint: 'The folder that the agent worked in is kept as it is.',
		data: { paths: problems.map(({ path }) => path), problems },
	});
}

export async function listIndex(git: GitRunner, call: GitCall): Promise<IndexEntry[]> {
	return splitNul(await git.ok(['ls-files', '--stage', '-z'], call)).map((line) => {
		const tab = line.indexOf('\t');
		const [mode = '', id = ''] = line.slice(0, tab).split(' ');
		return { path: line.slice(tab + 1), mode, id };
	});
}

export function isStatePath(path: PathBytes): boolean {
	return path.startsWith('.kapso/') || path === '.kapso';
}

async function takeNestedAsFiles(o: {
	readonly git: GitRunner;
	readonly call: GitCall;
	readonly nested: readonly PathBytes[];
	readonly files: readonly WalkedFile[];
}): Promise<void> {
	const { git, call } = o;
	const isNested = (path: PathBytes) => o.nested.some((folder) => path.startsWith(`${folder}/`) || path === folder);
	const found = o.files.filter((file) => file.kind !== 'special' && isNested(file.path)).map((file) => file.path);
	const tracked = (await listIndex(git, call)).map((entry) => entry.path).filter(isNested);
	const ignored = await ignoredPaths(git, call, found);
	const taken = [...new Set([...tracked, ...found.filter((path) => !ignored.has(path))])];
	// --replace: a tracked file may have become a folder, or the other way round.
	await git.ok(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
		...call,
		stdin: toBytes(taken.map((path) => `${path}\0`).join('')),
	});
}

async function ignoredPaths(git: GitRunner, call: GitCall, paths: readonly PathBytes[]): Promise<Set<PathBytes>> {
	if (paths.length === 0) return new Set();
	const argv = ['check-ignore', '--no-index', '--stdin', '-z'];
	const answer = await git.run(argv, { ...call, stdin: toBytes(paths.map((path) => `${path}\0`).join('')) });
	if (answer.exitCode > 1) throw gitFailed(argv, answer);
	return new Set(splitNul(answer.stdout));
}

/** The files of the state folder that were set aside for the base's; null when there was nothing to do. */
async function restoreStateFolder(o: {
	readonly git: GitRunner;
	readonly call: GitCall;
	readonly entries: readonly IndexEntry[];
	readonly wanted: readonly IndexEntry[];
}): Promise<ReadonlySet<PathBytes> | null> {
	const mine = o.entries.filter((entry) => isStatePath(entry.path));
	const { wanted } = o;
	if (indexInfo(mine).equals(indexInfo(wanted))) return null;
	const removals = mine.map(({ path, id }) => ({ path, id: '0'.repeat(id.length), mode: '0' }));
	await updateIndex(o.git, o.call, [...removals, ...wanted]);
	const kept = new Set(wanted.map(({ path, id }) => `${path} ${id}`));
	return new Set(mine.filter(({ path, id }) => !kept.has(`${path} ${id}`)).map(({ path }) => path));
}

async function listTreeBelow(o: {
	readonly git: GitRunner;
	readonly call: GitCall;
	readonly commit: string;
	readonly path: string;
}): Promise<IndexEntry[]> {
	const paths = o.path === ':/' ? [] : ['--', o.path];
	const output = await o.git.ok(['ls-tree', '-r', '-z', '--full-tree', o.commit, ...paths], o.call);
	return splitNul(output).map((line) => {
		const tab = line.indexOf('\t');
		const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
		return { path: line.slice(tab + 1), mode, id };
	});
}

function outermost(paths: readonly PathBytes[]): PathBytes[] {
	return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}

async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false, // not there is the one answer that matters: it is then made
	);
}
