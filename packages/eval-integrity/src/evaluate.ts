import { randomUUID } from 'node:crypto';
import { constants, copyFile, lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataFolder, KapsoError, stateFolder, suiteFolder } from '@kapso-evolve/contracts';
import type { HashedEntry } from '@kapso-evolve/durable-fs';
import { findProgram, type Sandbox } from '@kapso-evolve/process';
import type { Bench } from './bench.ts';
import { type Defences, everyDefence } from './defences.ts';
import { type Ending, type EvaluationRecord, isEnding, type PhaseRecord } from './evaluation-record.ts';
import { compileGlobs, type Glob } from './glob.ts';
import { measure } from './measure.ts';
import { notProvenAt } from './not-proven.ts';
import type { ScoredResult } from './read-result.ts';
import { makeFolder } from './scratch.ts';
import { snapshotFault } from './snapshot-fault.ts';
import type { DataSnapshot, Suite } from './suite.ts';

export interface EvaluateOptions {
	readonly suite: Suite;
	readonly data: DataSnapshot | null;
	readonly level: 'sealed' | 'suite-sealed' | 'unsealed';
	readonly sandbox: Sandbox;
	/** A plain folder without `kapso_evaluation`, `kapso_datasets`, `.kapso` and `.git`: `CANDIDATE_FOLDER` otherwise. */
	readonly candidateFolder: string;
	/** Private, empty, the engine's own; the caller removes it. Holds the artifacts of the last repeat. */
	readonly workFolder: string;
	/** `PATH` value on which programs are searched. */
	readonly path: string;
	/** The executable that a bare `node` means. */
	readonly nodeProgram: string;
	/** Where the values of the evaluation's `env` names come from. */
	readonly environment: Readonly<Record<string, string>>;
	/** From the verdict, for the record. */
	readonly stripped?: readonly string[];
	readonly notProven?: readonly string[];
	/** Hashes of programs, kept by a caller that evaluates often: an interpreter's 100 MB need not be read each time. */
	readonly programHashes?: Map<string, Promise<string>>;
	readonly signal?: AbortSignal;
}

/**
 * Scores a candidate by the caller's bytes (CONTRACTS 1 and 2): `repeats` measurements, each from fresh folders, each
 * phase in a view of its own. Whatever the candidate, the scorer or the machine does is an outcome in the record.
 * Throws only for a wrong call (`CANDIDATE_FOLDER`, `LEVEL_IMPOSSIBLE`) and for the caller's own abort.
 */
export function evaluate(options: EvaluateOptions): Promise<EvaluationRecord> {
	return evaluateWith(options, everyDefence);
}

export async function evaluateWith(options: EvaluateOptions, holds: Defences): Promise<EvaluationRecord> {
	const startedAt = performance.now();
	const phases: PhaseRecord[] = [];
	const results: ScoredResult[] = [];
	let ending: Ending | null = null;
	options.signal?.throwIfAborted();
	checkLevel(options);
	await checkCandidateFolder(options.candidateFolder);
	try {
		const bench = await setUp(options, phases, holds);
		if (isEnding(bench)) ending = bench;
		for (let repeat = 1; ending === null && repeat <= options.suite.evaluation!.repeats; repeat++) {
			const measured = await measure(bench as Bench, join(options.workFolder, `repeat-${repeat}`));
			if (isEnding(measured)) ending = measured;
			else results.push(measured);
		}
	} catch (thrown) {
		ending = faultOfMachine(thrown);
		if (ending === null) throw thrown;
	}
	return {
		...(ending === null ? scored(results) : unscored(ending, results)),
		level: options.level,
		isolation: options.level === 'unsealed' ? 'none' : 'os',
		candidateIsolated: options.level === 'sealed',
		stripped: options.stripped ?? [],
		notProven: [
			...new Set([...(options.notProven ?? []), ...notProvenAt(options.level, options.suite), ...leaks(results)]),
		],
		phases,
		suiteDigest: options.suite.digest,
		dataDigest: options.data?.digest ?? null,
		durationMs: performance.now() - startedAt,
	};
}

type Numbers = Pick<
	EvaluationRecord,
	'outcome' | 'code' | 'error' | 'score' | 'metrics' | 'caseScores' | 'cases' | 'feedback' | 'scores'
>;

function scored(results: readonly ScoredResult[]): Numbers {
	const last = results.at(-1)!;
	const common = Object.keys(last.metrics).filter((name) => results.every((result) => name in result.metrics));
	const lists = results.map((result) => result.case_scores);
	const sameLength = lists.every((list) => list !== undefined && list.length === lists[0]?.length);
	return {
		outcome: 'scored',
		code: null,
		error: null,
		score: mean(results.map((result) => result.score)),
		metrics: Object.fromEntries(common.map((name) => [name, mean(results.map((result) => result.metrics[name]!))])),
		caseScores: sameLength ? lists[0]!.map((_, index) => mean(lists.map((list) => list![index]!))) : null,
		cases: last.cases ?? last.case_scores?.length ?? null,
		feedback: last.feedback ?? '',
		scores: results.map((result) => result.score),
	};
}

function unscored(ending: Ending, results: readonly ScoredResult[]): Numbers {
	const { outcome, code, error } = ending;
	const none = { score: null, metrics: {}, caseScores: null, cases: null };
	return { outcome, code, error, ...none, feedback: error, scores: results.map((result) => result.score) };
}

function leaks(results: readonly ScoredResult[]): readonly string[] {
	return results.some((result) => result.case_scores !== undefined || result.feedback) ? ['case-feedback'] : [];
}

/** Divides before it adds: a mean of finite numbers is finite. A single one stays as it is. */
function mean(values: readonly number[]): number {
	return values.length === 1 ? values[0]! : values.reduce((sum, value) => sum + value / values.length, 0);
}

async function setUp(options: EvaluateOptions, phases: PhaseRecord[], holds: Defences): Promise<Bench | Ending> {
	const { suite, data, level, sandbox, workFolder } = options;
	const evaluation = suite.evaluation!;
	const sandboxed = level !== 'unsealed';
	const fault = await snapshotFault(suite, data);
	if (fault !== null) return fault;
	const emptyFolder = join(workFolder, 'empty');
	const inputsFolder = join(workFolder, 'inputs');
	const runDataFolder = join(workFolder, 'data');
	const sharedTemporaries = join(dirname(workFolder), 'temporaries');
	if (!holds('private-temporaries')) await makeFolder(sharedTemporaries);
	const [node, prlimit] = await Promise.all([
		realpath(options.nodeProgram).catch(() => null),
		findProgram('prlimit', '/usr/bin:/bin'),
		makeFolder(emptyFolder),
		selectFiles(suite, inputsFolder, compileGlobs(holds('shown-files') ? (evaluation.run?.files ?? []) : ['**'])),
		data
			? selectFiles(data, runDataFolder, compileGlobs(holds('shown-files') ? (evaluation.run?.data ?? []) : ['**']))
			: makeFolder(runDataFolder),
	]);
	if (node === null) {
		return { outcome: 'infrastructure', code: 'PROGRAM_MISSING', error: `there is no Node at ${options.nodeProgram}` };
	}
	const asked = holds('empty-environment') ? evaluation.env : Object.keys(options.environment);
	const passed = asked.filter((name) => options.environment[name] !== undefined);
	return {
		...{ suite, evaluation, data, level, sandbox, sandboxed, emptyFolder, inputsFolder, runDataFolder, phases },
		candidateFolder: options.candidateFolder,
		programs: { path: options.path, node, sandboxed, mounts: evaluation.mounts },
		programHashes: options.programHashes ?? new Map(),
		passedVariables: Object.fromEntries(passed.map((name) => [name, options.environment[name]!])),
		kernelLimits: prlimit === null || !holds('limits') ? [] : kernelLimits(prlimit, evaluation.limits),
		runMarker: randomUUID(),
		signal: options.signal,
		holds,
		sharedTemporaries,
	};
}

/** A level promises more than this suite or this machine can keep: a mistake of the caller's, never an outcome. */
function checkLevel({ suite, level, sandbox }: EvaluateOptions): void {
	const evaluation = suite.evaluation;
	const isPossible =
		evaluation?.score !== undefined &&
		(level === 'unsealed' || (sandbox.isolation === 'os' && (level === 'sealed') === (evaluation.run !== undefined)));
	if (isPossible) return;
	throw new KapsoError({
		code: 'LEVEL_IMPOSSIBLE',
		category: 'infrastructure',
		message: `the suite ${suite.source} cannot be scored at level ${level} on this machine`,
		hint: 'Take the level that chooseLevel gives.',
		data: { level },
	});
}

/** Per process, by the kernel; the sampled limits cover the tree. No core dumps; no file beyond any honest size. */
function kernelLimits(
	prlimit: string,
	limits: { readonly cpu_seconds: number; readonly output_mb: number },
): readonly string[] {
	const fileBytes = Math.max(1024, limits.output_mb) * 2 ** 20;
	// Soft before hard: SIGXCPU tells what happened, SIGKILL tells nothing.
	const cpu = `--cpu=${limits.cpu_seconds}:${limits.cpu_seconds + 2}`;
	return [prlimit, cpu, `--fsize=${fileBytes}`, '--core=0', '--'];
}

/** Copies, never links, the files that the run phase may see: everything else of the folder is not there for it. */
async function selectFiles(
	from: { readonly root: string; readonly entries: readonly HashedEntry[] },
	to: string,
	isShown: Glob,
): Promise<void> {
	await makeFolder(to);
	for (const { path } of from.entries.filter((entry) => isShown(entry.path))) {
		await mkdir(dirname(join(to, path)), { recursive: true });
		await copyFile(join(from.root, path), join(to, path), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
	}
}

/** The engine leaves these out when it materialises a candidate; one that is there would be read in the caller's stead. */
async function checkCandidateFolder(folder: string): Promise<void> {
	for (const name of [suiteFolder, dataFolder, stateFolder, '.git']) {
		const found = await lstat(join(folder, name)).catch(() => null);
		if (found === null) continue;
		throw new KapsoError({
			code: 'CANDIDATE_FOLDER',
			category: 'infrastructure',
			message: `the candidate’s folder ${folder} holds ${name}, which must not be there when it is scored`,
			hint: 'Materialise the candidate without it.',
			data: { folder, name },
		});
	}
}

/** Disk, memory, a program that cannot be started: an outcome that is nobody's fault. Null: something else. */
function faultOfMachine(thrown: unknown): Ending | null {
	if (KapsoError.isInstance(thrown) && thrown.category === 'infrastructure') {
		return { outcome: 'infrastructure', code: thrown.code, error: thrown.message };
	}
	const codes = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM'];
	if (!(thrown instanceof Error) || !codes.includes(String((thrown as NodeJS.ErrnoException).code))) return null;
	return { outcome: 'infrastructure', code: 'STORAGE', error: thrown.message };
}
