import { chmod, lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KapsoError, sha256 } from '@kapso-evolve/contracts';
import { type EvaluationRecord, folderTree } from '@kapso-evolve/eval-integrity';
import { type FileContent, writeFiles } from '@kapso-evolve/testkit';
import type { AgentClone } from '@kapso-evolve/workspace-git';
import type { Arena } from './arena.ts';
import type { Change, HonestCase, Later, Site, TamperCase } from './case.ts';
import type { Oracle } from './oracle.ts';
import { type Candidate, isHidden, type Steps } from './steps.ts';

/** What came of one candidate. */
export interface Attempt {
	/** Null: no score, and why in `code`. */
	readonly score: number | null;
	readonly code: string | null;
	readonly error: string | null;
	readonly notProven: readonly string[];
	/** An effect of another kind than a score. */
	readonly harm: string | null;
}

let attempts = 0;

/** Everything that can lie in a candidate of the corpus, on the real path: clone, agent, finalise, verify, write, score. */
export async function attempt(
	arena: Arena,
	what: TamperCase | HonestCase,
	options: { readonly steps: Steps; readonly oracle: Oracle },
): Promise<Attempt> {
	const number = ++attempts;
	const { steps, oracle } = options;
	const workFolder = join(arena.folder, 'work', `${number}`);
	const site: Site = {
		arena,
		language: arena.language,
		folder: join(arena.folder, 'clones', `${number}`),
		mark: join(arena.folder, `mark-${number}`),
		port: oracle.port,
		socket: oracle.socket,
	};
	const later = { ...site, branch: `generic_exp_${number}`, workFolder };
	try {
		const clone = await steps.clone(arena, site.folder);
		await applyChange(clone.folder, { 'notes.md': `${what.name}\n`, ...what.change });
		await what.act?.(site);
		const ended = await judge({ steps, arena, clone, what, later });
		const marked = await exists(site.mark);
		return marked ? { ...ended, harm: ended.harm ?? 'code of the candidate ran outside of a sandbox' } : ended;
	} finally {
		for (const folder of [workFolder, site.folder, site.mark]) await removeAll(folder);
	}
}

interface Trial {
	readonly steps: Steps;
	readonly arena: Arena;
	readonly clone: AgentClone;
	readonly what: Partial<TamperCase>;
	readonly later: Omit<Later, 'commit'>;
}

async function judge(trial: Trial): Promise<Attempt> {
	const { steps, arena, what } = trial;
	try {
		const commit = await steps.finalise(arena, trial.clone, trial.later.branch);
		if (commit === null) return nothing('NO_CHANGE', 'the agent changed nothing');
		const later: Later = { ...trial.later, commit };
		await what.afterFinalise?.(later);
		const verdict = await steps.verify({
			tree: arena.workspace.candidateTree(commit),
			suite: arena.suite,
			data: arena.data,
			level: arena.level,
			baseline: arena.workspace.candidateTree(arena.parent),
		});
		if (!verdict.valid) return nothing(verdict.code, verdict.error);
		await what.afterVerify?.(later);
		const candidate = { arena, clone: trial.clone, commit, branch: later.branch };
		const { record, exact } = await score(steps, candidate, later.workFolder, verdict);
		const harm = (await what.harm?.(later)) ? 'the trick had its effect' : null;
		return {
			score: record.outcome === 'scored' ? record.score : null,
			code: record.code,
			error: record.error,
			notProven: record.notProven,
			harm: exact ? harm : 'other bytes ran than those that were judged',
		};
	} catch (thrown) {
		if (!KapsoError.isInstance(thrown) || thrown.category !== 'verdict') throw thrown;
		return nothing(thrown.code, thrown.message);
	}
}

function nothing(code: string, error: string): Attempt {
	return { score: null, code, error, notProven: [], harm: null };
}

async function score(
	steps: Steps,
	candidate: Candidate,
	workFolder: string,
	verdict: { readonly stripped: readonly string[]; readonly notProven: readonly string[] },
): Promise<{ record: EvaluationRecord; exact: boolean }> {
	const { arena } = candidate;
	const candidateFolder = join(workFolder, 'candidate');
	const work = join(workFolder, 'work');
	await mkdir(candidateFolder, { recursive: true });
	await mkdir(work);
	await steps.write(arena, candidate, candidateFolder);
	const exact = await isExactly(candidateFolder, candidate);
	const { suite, data, level, sandbox, path, programHashes } = arena;
	const options = {
		...{ suite, data, level, sandbox, path, programHashes, candidateFolder, workFolder: work },
		nodeProgram: process.execPath,
		// What an engine's own environment may hold. No evaluation of the corpus asks for it.
		environment: { GRADER_KEY: 'labels', LABELS: '4 9 16 25 36 49 64 81' },
		stripped: verdict.stripped,
		notProven: verdict.notProven,
	};
	return { record: await steps.evaluate(options, candidate), exact };
}

/** Are the files that are about to run those of the commit that was judged? */
async function isExactly(folder: string, { arena, commit }: Candidate): Promise<boolean> {
	const list = async (tree: ReturnType<typeof folderTree>): Promise<string> => {
		const entries = (await tree.entries()).filter(({ path }) => !isHidden(path));
		const lines = entries.map(async ({ path, mode }) => `${mode} ${sha256(await tree.read(path))} ${path}`);
		return (await Promise.all(lines)).join('\n');
	};
	return (await list(folderTree(folder))) === (await list(arena.workspace.candidateTree(commit)));
}

export async function applyChange(folder: string, change: Change): Promise<void> {
	const written: Record<string, FileContent> = {};
	for (const [path, content] of Object.entries(change)) {
		if (content !== null) written[path] = content;
		if (content === null || typeof content === 'object') await rm(join(folder, path), { recursive: true, force: true });
	}
	await writeFiles(folder, written);
}

async function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}

/** A trick may leave folders without rights. */
async function removeAll(path: string): Promise<void> {
	await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(async () => {
		await chmod(dirname(path), 0o755);
		await rm(path, { recursive: true, force: true, maxRetries: 5 });
	});
}

export async function readNumber(path: string): Promise<number | null> {
	try {
		const parsed = JSON.parse(await readFile(path, 'utf8')) as { score?: unknown };
		return typeof parsed.score === 'number' ? parsed.score : null;
	} catch {
		return null; // no result, or none that can be read: no number
	}
}
