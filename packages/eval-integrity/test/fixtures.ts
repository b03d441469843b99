import { join } from 'node:path';
import { type CandidateTree, type EvaluationFileInput, suiteFolder } from '@kapso-evolve/contracts';
import { openSandbox } from '@kapso-evolve/process';
import { type FileContent, type TemporaryFolder, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import {
	captureData,
	captureSuite,
	chooseLevel,
	type DataSnapshot,
	type EvaluateOptions,
	type EvaluationRecord,
	evaluate,
	folderTree,
	type Suite,
	type SuiteVisibility,
	type Verdict,
	verifyCandidate,
} from '../src/index.ts';

export type Files = Readonly<Record<string, FileContent>>;
export const path = '/usr/local/bin:/usr/bin:/bin';
export const sandbox = await openSandbox({ path });
export const noSandbox = { isolation: 'none', reason: 'switched off by a test' } as const;
export const skipReason = sandbox.isolation === 'none' ? ` (skipped: ${sandbox.reason})` : '';
export const hasSandbox = sandbox.isolation === 'os';

/** A folder for one test: the caller's suite and data, the candidate, the engine's own places. */
export interface Desk extends AsyncDisposable {
	readonly root: string;
	at(name: string): string;
	write(name: string, files: Files): Promise<string>;
	suite(files: Files, options?: { evaluation?: EvaluationFileInput; visibility?: SuiteVisibility }): Promise<Suite>;
	data(files: Files): Promise<DataSnapshot>;
}

export async function openDesk(): Promise<Desk> {
	const folder: TemporaryFolder = await temporaryFolder();
	const at = (name: string): string => join(folder.path, name);
	const write = async (name: string, files: Files): Promise<string> => {
		await writeFiles(at(name), files);
		return at(name);
	};
	return {
		root: folder.path,
		at,
		write,
		suite: async (files, options = {}) =>
			captureSuite({ visibility: 'visible', ...options, from: await write('evaluation', files), to: at('suite') }),
		data: async (files) => captureData({ from: await write('datasets', files), to: at('data') }),
		[Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
	};
}

let works = 0;

/** Scores a candidate in fresh folders, at the level that the suite and the machine allow. */
export async function scoreFiles(
	desk: Desk,
	options: { suite: Suite; candidate: Files; data?: DataSnapshot | null } & Partial<EvaluateOptions>,
): Promise<EvaluationRecord> {
	const { candidate, ...rest } = options;
	const work = `work ${++works}`;
	const chosen = chooseLevel({
		suite: options.suite,
		sandbox: options.level === 'unsealed' ? noSandbox : (options.sandbox ?? sandbox),
		requireIsolation: false,
	}).level as EvaluateOptions['level'];
	return evaluate({
		data: null,
		level: chosen,
		sandbox,
		candidateFolder: await desk.write(`candidate ${works}`, { '.keep': '', ...candidate }),
		workFolder: desk.at(work),
		path,
		nodeProgram: process.execPath,
		environment: {},
		programHashes,
		...rest,
	});
}

const programHashes = new Map<string, Promise<string>>();

/** Judges a candidate whose suite folder is the caller's plus the given changes; `null` removes a file. */
export async function judgeFiles(
	desk: Desk,
	options: {
		suite: Suite;
		provided: Files;
		change: Readonly<Record<string, FileContent | null>>;
		data?: DataSnapshot;
		level?: Parameters<typeof verifyCandidate>[0]['level'];
		baseline?: CandidateTree;
	},
): Promise<Verdict> {
	const name = `judged ${++works}`;
	const provided = Object.entries(options.provided).map(
		([file, content]) => [`${suiteFolder}/${file}`, content] as const,
	);
	const files: Record<string, FileContent> = { 'solve.js': 'export {};\n' };
	for (const [file, content] of [...provided, ...Object.entries(options.change)]) {
		if (content === null) delete files[file];
		else files[file] = content;
	}
	return verifyCandidate({
		tree: folderTree(await desk.write(name, files)),
		suite: options.suite,
		data: options.data ?? null,
		level: options.level ?? 'sealed',
		baseline: options.baseline ?? null,
	});
}

/** A sealed suite in Node: the candidate's `solve(n)` must square each case; the score is the share that is right. */
export const squares: Files = {
	'kapso.evaluation.yaml': `version: 1
metrics: [right]
cases: 3
run:
  command: [node, driver.mjs]
  files: [driver.mjs, cases.json]
  timeout_seconds: 20
score:
  command: [node, score.mjs]
  timeout_seconds: 20
`,
	'driver.mjs': `import { readFileSync, writeFileSync } from 'node:fs';
const { solve } = await import('file://' + process.env.KAPSO_CANDIDATE_DIR + '/solve.js');
const answers = JSON.parse(readFileSync('cases.json', 'utf8')).map((n) => solve(n));
writeFileSync(process.env.KAPSO_OUTPUTS_DIR + '/answers.json', JSON.stringify(answers));
`,
	'score.mjs': `import { readFileSync, writeFileSync } from 'node:fs';
const cases = JSON.parse(readFileSync('cases.json', 'utf8'));
const answers = JSON.parse(readFileSync(process.env.KAPSO_OUTPUTS_DIR + '/answers.json', 'utf8'));
const right = cases.filter((n, index) => answers[index] === n * n).length;
writeFileSync(process.env.KAPSO_RESULT_PATH, JSON.stringify({
	schema_version: 1, valid: true, score: right / cases.length, metrics: { right }, cases: cases.length,
}));
`,
	'cases.json': '[2, 3, 4]',
};
/** Right once in three: 2 + 2 = 2 * 2. */
export const doubling = { 'package.json': '{"type":"module"}', 'solve.js': 'export const solve = (n) => n + n;\n' };
export const squaring = { 'package.json': '{"type":"module"}', 'solve.js': 'export const solve = (n) => n * n;\n' };

/** A suite whose phases are short shell scripts; without `run` its level is `suite-sealed`. */
export function scripted(
	settings: { run?: string; files?: string; more?: string },
	score: string,
	files: Files = {},
): Files {
	const run =
		settings.run === undefined
			? ''
			: `run: {command: ${settings.run}, files: ${settings.files ?? '[]'}, timeout_seconds: 20}\n`;
	return {
		'kapso.evaluation.yaml': `version: 1\n${run}score: {command: [sh, score.sh], timeout_seconds: 20}\n${settings.more ?? ''}\n`,
		'score.sh': score,
		...files,
	};
}
