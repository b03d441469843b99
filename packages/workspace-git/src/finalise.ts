import { lstat, realpath } from 'node:fs/promises';
import { describeThrown, KapsoError } from '@kapso-evolve/contracts';
import { type AgentClone, agentIndexFile } from './agent-clone.ts';
import { type AgentTip, fetchAgentTips } from './agent-tips.ts';
import { archiveLeftOut, defaultArchiveLimit, type IgnoredFile } from './archive.ts';
import { ingestCommits } from './ingest.ts';
import { checkBranchName, createReferences, listReferences, proveReferences } from './references.ts';
import { commitDate, type Repository } from './repository.ts';
import { isStatePath, rejected, type Snapshot, snapshotFolder } from './snapshot.ts';
import { pathProblems } from './tree-policy.ts';
import { treeWithFiles } from './tree-with-files.ts';

export interface FinaliseOptions {
	readonly clone: AgentClone;
	readonly parentCommit: string;
	/** The name that the candidate gets, once: `generic_exp_3`. */
	readonly branch: string;
	readonly message: string;
	/** The repository memory, committed on top of the agent's work. */
	readonly memory?: { readonly path: string; readonly bytes: Uint8Array } | null;
	/** Most bytes of ignored files that are kept; default 16 MiB. */
	readonly archiveLimitBytes?: number;
	readonly signal?: AbortSignal;
}

interface LeftBehind {
	readonly ignored: readonly IgnoredFile[];
	/** See `archiveLeftOut` for the format. */
	readonly archive: Uint8Array | null;
	/** What a reader of the record should know: commits elsewhere, nested repositories, a broken `.git`. */
	readonly notes: readonly string[];
}

export type Finalised =
	| ({
			readonly status: 'committed';
			readonly branch: string;
			/** The candidate: what is judged, scored, recorded and delivered. */
			readonly commit: string;
			/** The agent's work without the memory commit. */
			readonly codeCommit: string;
			readonly treeDigest: string;
	  } & LeftBehind)
	| ({ readonly status: 'no-change' } & LeftBehind);

/**
 * Makes a candidate of what an agent left: one engine commit on the parent whose tree is the clone's final files, the
 * memory commit on top, moved into the campaign with object checks, named by a ref that is created once. Work that the
 * agent committed elsewhere is kept under `refs/kapso/agent/<branch>/`; when the files are the parent's and exactly one
 * other tree was committed, that tree is the candidate. The clone stays: its owner removes it after recording.
 */
export async function finaliseCandidate(
	repository: Repository,
	options: FinaliseOptions,
	treeDigest: (commit: string) => Promise<string>,
): Promise<Finalised> {
	const { clone, parentCommit, branch } = options;
	checkBranchName(branch);
	if (clone.parentCommit !== parentCommit) {
		throw new KapsoError({
			code: 'PARENT_MISMATCH',
			category: 'infrastructure',
			message: `the clone was made of ${clone.parentCommit}, not of ${parentCommit}`,
			hint: 'A candidate is finalised on the commit that its agent was given.',
			data: { clone: clone.parentCommit, parentCommit },
		});
	}
	await refuseOtherFolder(clone.folder);
	const [snapshot, { tips, notes: tipNotes }] = await bothEnded(
		snapshotClone(repository, clone, options.signal),
		fetchAgentTips(repository, clone),
	);
	const parentTree = (await repository.objects.readCommit(parentCommit)).tree;
	const choice = await chooseTree(repository, { snapshot, tips, parentTree, parentCommit });
	const left = await archiveLeftOut({
		folder: clone.folder,
		leftOut: snapshot.leftOut,
		limitBytes: options.archiveLimitBytes ?? defaultArchiveLimit,
	});
	const notes = [...snapshot.notes, ...tipNotes, ...choice.notes];
	const changed = choice.tree !== parentTree;
	const code = changed
		? await commitTree(repository, { tree: choice.tree, parent: parentCommit, message: options.message })
		: parentCommit;
	const memory =
		changed && options.memory ? await addMemory(repository, code, options.memory) : { commit: code, notes: [] };
	notes.push(...memory.notes);

	const refs = await agentReferences(repository, branch, tips);
	if (changed) refs.set(`refs/heads/${branch}`, memory.commit);
	const [digest] = await bothEnded(
		changed ? treeDigest(memory.commit) : Promise.resolve(''),
		refs.size > 0 ? publish(repository, refs, parentCommit) : Promise.resolve(),
	);
	if (!changed) return { status: 'no-change', ...left, notes };
	return {
		status: 'committed',
		branch,
		commit: memory.commit,
		codeCommit: code,
		treeDigest: digest,
		...left,
		notes,
	};
}

/** Beside each other, and both at their end before anyone hears of a refusal: no git of ours runs on after it. */
async function bothEnded<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
	await Promise.allSettled([one, other]);
	return Promise.all([one, other]);
}

/** Objects first, then the names, then the proof that both are there. */
async function publish(repository: Repository, refs: ReadonlyMap<string, string>, parent: string): Promise<void> {
	await ingestCommits(repository, { commits: [...new Set(refs.values())], known: [parent] });
	await repository.mutex.run(() => createReferences(repository, refs));
	await proveReferences(repository, refs);
}

export async function snapshotClone(
	repository: Repository,
	clone: AgentClone,
	signal?: AbortSignal,
): Promise<Snapshot> {
	await refuseOtherFolder(clone.folder);
	return snapshotFolder({
		git: repository.git,
		gitDir: repository.scratch.gitDir,
		folder: clone.folder,
		base: clone.parentCommit,
		indexFile: agentIndexFile(repository, clone.folder),
		...(signal === undefined ? {} : { signal }),
	});
}

/** An agent can remove its folder or put a link in its place or above it: what lies elsewhere is not its work. */
async function refuseOtherFolder(folder: string): Promise<void> {
	const found = await realpath(folder).catch(() => null);
	if (found === folder && (await lstat(folder)).isDirectory()) return;
	throw rejected([{ path: folder, reason: found === null ? 'the folder is gone' : `the folder leads to ${found}` }]);
}

/** One ref for each commit of the agent's, named by it: a repeated finalise of the same clone finds them there. */
async function agentReferences(
	repository: Repository,
	branch: string,
	tips: readonly AgentTip[],
): Promise<Map<string, string>> {
	if (tips.length === 0) return new Map();
	const prefix = `refs/kapso/agent/${branch}`;
	const existing = await listReferences(repository, prefix);
	const wanted = tips.map(({ commit }) => [`${prefix}/${commit}`, commit] as const);
	return new Map(wanted.filter(([name]) => !existing.has(name)));
}

/** The files of the clone are the candidate; commits elsewhere count only where the files say nothing. */
async function chooseTree(
	repository: Repository,
	o: { snapshot: Snapshot; tips: readonly AgentTip[]; parentTree: string; parentCommit: string },
): Promise<{ tree: string; notes: string[] }> {
	const trees = new Map<string, AgentTip>();
	for (const tip of o.tips) {
		const { tree } = await repository.objects.readCommit(tip.commit);
		if (tree !== o.snapshot.tree && tree !== o.parentTree && !trees.has(tree)) trees.set(tree, tip);
	}
	if (trees.size === 0) return { tree: o.snapshot.tree, notes: [] };
	const [only] = trees;
	if (o.snapshot.tree === o.parentTree && trees.size === 1) {
		const [tree, tip] = only!;
		const entries = await repository.objects.listTree(tree);
		const named = entries.map((entry) => ({ path: entry.path.toString('latin1'), mode: entry.mode }));
		const problems = [...pathProblems(named), ...named.filter(({ path }) => isStatePath(path))];
		if (problems.length === 0) return { tree, notes: [`taken from ${tip.name}, where the agent committed its work`] };
		return {
			tree: o.snapshot.tree,
			notes: [`${tip.name} was not taken: ${problems[0]!.path} cannot be in a candidate`],
		};
	}
	const notes = [...trees.values()].map(
		({ name, commit }) => `${name} (${commit}) holds other work; it is kept, not taken`,
	);
	return { tree: o.snapshot.tree, notes };
}

export async function commitTree(
	repository: Repository,
	o: { readonly tree: string; readonly parent: string | null; readonly message: string },
): Promise<string> {
	return repository.git.line(['commit-tree', ...(o.parent === null ? [] : ['-p', o.parent]), o.tree], {
		gitDir: repository.scratch.gitDir,
		durable: false,
		// Git has no way to write a NUL; a message may hold what an agent said.
		stdin: `${o.message.replaceAll('\0', '\u{fffd}').replace(/\n$/, '')}\n`,
		date: commitDate(repository),
	});
}

/** A failure here costs the memory commit, never the agent's work. */
async function addMemory(
	repository: Repository,
	code: string,
	memory: { readonly path: string; readonly bytes: Uint8Array },
): Promise<{ commit: string; notes: string[] }> {
	try {
		const { tree } = await repository.objects.readCommit(code);
		const withMemory = await treeWithFiles(repository, {
			tree,
			files: [{ path: memory.path, mode: '100644', bytes: memory.bytes }],
			replaceFolders: [],
		});
		if (withMemory === tree) return { commit: code, notes: [] };
		const commit = await commitTree(repository, { tree: withMemory, parent: code, message: 'Repository memory' });
		return { commit, notes: [] };
	} catch (error) {
		return { commit: code, notes: [`the memory commit failed: ${describeThrown(error)}`] };
	}
}
