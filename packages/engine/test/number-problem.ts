import { join } from 'node:path';
import { createRepository, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import type { EvolveOptions } from '../src/index.ts';

/** A whole problem in a few lines: the candidate is a number in `value.txt`, and its score is that number. */
export interface NumberProblem extends AsyncDisposable {
	readonly folder: string;
	readonly seed: string;
	readonly suite: string;
	readonly output: string;
	/** Options of a campaign whose agent is `script`: the body of a Node module with `read`, `write` and `report`. */
	options(script: string, extra?: Partial<EvolveOptions>): Promise<EvolveOptions>;
}

export const addOne = "write('value.txt', String(Number(read('value.txt')) + 1)); report({ summary: 'one more' });";

const evaluationFile = `version: 1
objective: maximize
run:
  command: [node, run.mjs]
  files: [run.mjs]
  timeout_seconds: 20
score:
  command: [node, score.mjs]
  timeout_seconds: 20
`;

const run = `import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const value = readFileSync(join(process.env.KAPSO_CANDIDATE_DIR, 'value.txt'), 'utf8').trim();
if (value === 'crash') process.exit(1);
writeFileSync(join(process.env.KAPSO_OUTPUTS_DIR, 'value.txt'), value);
`;

const score = `import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const text = readFileSync(join(process.env.KAPSO_OUTPUTS_DIR, 'value.txt'), 'utf8');
const value = text === 'NaN' ? 'NaN' : String(Number(text));
writeFileSync(process.env.KAPSO_RESULT_PATH, '{"schema_version":1,"valid":true,"score":' + value + '}');
`;

const agentPrelude = `import { readFileSync, writeFileSync, mkdirSync, rmSync, symlinkSync, appendFileSync, existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
const read = (path) => readFileSync(path, 'utf8');
const write = (path, text) => writeFileSync(path, text);
const report = (fields) => writeFileSync(process.env.KAPSO_REPORT_PATH, JSON.stringify({ schema_version: 1, nonce: process.env.KAPSO_NONCE, ...fields }));
const prompt = readFileSync(0, 'utf8');
`;

export async function numberProblem(start = '1'): Promise<NumberProblem> {
	const temporary = await temporaryFolder();
	const folder = temporary.path;
	const seed = join(folder, 'seed');
	const suite = join(folder, 'suite');
	await createRepository(seed, { 'value.txt': `${start}\n`, 'README.md': 'a number\n', '.gitignore': 'ignored/\n' });
	await writeFiles(suite, { 'kapso.evaluation.yaml': evaluationFile, 'run.mjs': run, 'score.mjs': score });
	return {
		folder,
		seed,
		suite,
		output: join(folder, 'campaign'),
		async options(script, extra = {}) {
			const agent = join(folder, `agent-${Math.abs(hash(script))}.mjs`);
			await writeFiles(folder, { [agent.slice(folder.length + 1)]: agentPrelude + script });
			return {
				goal: 'a larger number',
				outputPath: join(folder, 'campaign'),
				agent: 'command',
				agentCommand: [process.execPath, agent],
				initialRepo: seed,
				evalDir: suite,
				workDir: join(folder, 'state'),
				maxIterations: 2,
				environment: { PATH: process.env.PATH },
				...extra,
			};
		},
		[Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
	};
}

function hash(text: string): number {
	return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)!) | 0, 7);
}
