import { join } from 'node:path';
import { createRepository, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';

/** A problem in a few lines: the candidate is a number in `value.txt`, its score is that number. */
export interface NumberProblem extends AsyncDisposable {
	readonly folder: string;
	readonly seed: string;
	readonly output: string;
	/** Flags of `evolve`; the agent is a module with `read`, `write` and `report` at hand. */
	flags(agent: string, ...more: string[]): Promise<string[]>;
}

export const addOne = `write('value.txt', String(Number(read('value.txt')) + 1)); report({ summary: 'one more' });`;

const suite = {
	'kapso.evaluation.yaml':
		'version: 1\nrun: {command: [node, run.mjs], files: [run.mjs]}\nscore: {command: [node, score.mjs]}\n',
	'run.mjs': `import { readFileSync, writeFileSync } from 'node:fs';
const value = readFileSync(process.env.KAPSO_CANDIDATE_DIR + '/value.txt', 'utf8').trim();
if (value === 'crash') process.exit(1);
writeFileSync(process.env.KAPSO_OUTPUTS_DIR + '/value.txt', value);
`,
	'score.mjs': `import { readFileSync, writeFileSync } from 'node:fs';
const score = Number(readFileSync(process.env.KAPSO_OUTPUTS_DIR + '/value.txt', 'utf8'));
writeFileSync(process.env.KAPSO_RESULT_PATH, JSON.stringify({ schema_version: 1, valid: true, score }));
`,
};

const prelude = `import { readFileSync, writeFileSync } from 'node:fs';
const read = (path) => readFileSync(path, 'utf8');
const write = (path, text) => writeFileSync(path, text);
const report = (fields) => writeFileSync(process.env.KAPSO_REPORT_PATH, JSON.stringify({ schema_version: 1, nonce: process.env.KAPSO_NONCE, cost_usd: 0.25, ...fields }));
`;

export async function numberProblem(): Promise<NumberProblem> {
	const temporary = await temporaryFolder();
	const folder = temporary.path;
	await createRepository(join(folder, 'seed'), { 'value.txt': '1\n', 'README.md': 'a number\n' });
	await writeFiles(join(folder, 'suite'), suite);
	await writeFiles(folder, {
		'observe.mjs': `export const observe = ({ node }) => ({ metrics: { holdout_number: 1000 + node.score } });
export const fail = () => { throw new Error('no measurement'); };
`,
	});
	return {
		folder,
		seed: join(folder, 'seed'),
		output: join(folder, 'the campaign'),
		async flags(agent, ...more) {
			await writeFiles(folder, { 'the agent.mjs': prelude + agent });
			return [
				...['--goal', 'a larger number', '--output', 'the campaign', '--agent', 'command'],
				...['--agent-command', `'${process.execPath}' '${join(folder, 'the agent.mjs')}'`],
				...['--initial-repo', 'seed', '--eval-dir', 'suite', ...more],
			];
		},
		[Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
	};
}
