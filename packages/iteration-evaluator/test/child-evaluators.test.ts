import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { commandEvaluator, type IterationEvaluator, moduleEvaluator } from '../src/index.ts';
import { context, environment, evaluate, node } from './fixture.ts';

const nodeProgram = process.execPath;

/** The evaluator that is the export of a module with this text. */
async function moduleOf(folder: string, text: string, exportName = 'evaluateCandidate'): Promise<IterationEvaluator> {
	await writeFiles(folder, { 'evaluate.mjs': text });
	return moduleEvaluator({ module: `${join(folder, 'evaluate.mjs')}#${exportName}`, nodeProgram, environment });
}

async function scriptOf(folder: string, text: string): Promise<IterationEvaluator> {
	await writeFiles(folder, { 'evaluate.mjs': text });
	return commandEvaluator({ command: ['node', join(folder, 'evaluate.mjs')], environment });
}

describe('a module evaluator', () => {
	it('gets the whole context, frozen, in the candidate’s tree, and may print what it likes [XE07, XE11]', async () => {
		await using folder = await temporaryFolder();
		const evaluator = await moduleOf(
			folder.path,
			`
			import { readFileSync } from 'node:fs';
			export async function evaluateCandidate(context) {
				console.log('{"metrics": {"forged": 1}}');
				const { signal, ...facts } = context;
				let frozen = false;
				try { context.node.metrics.x = 1; } catch { frozen = true; }
				process.stdout.write('no newline at the end');
				return { metrics: { size: readFileSync('candidate.txt').length }, primaryMetric: 'size',
					metadata: { facts, frozen, aborted: signal.aborted, environment: { ...process.env }, there: process.cwd() === context.workspaceDir } };
			}`,
		);
		const evaluation = await evaluate({ evaluator });
		expect(evaluation).toEqual({
			metrics: { size: 12 },
			primaryMetric: 'size',
			metadata: {
				facts: { ...context, workspaceDir: expect.any(String) },
				frozen: true,
				aborted: false,
				environment: { ...environment, KAPSO_RUN_ID: context.idempotencyKey },
				there: true,
			},
			error: null,
		});
	});

	it.each([
		['throws', 'export function evaluateCandidate() { throw new RangeError("too far"); }', 'RangeError: too far'],
		['throws text', 'export function evaluateCandidate() { throw "plain"; }', 'string: plain'],
		[
			'exits with 0 after a result of its own',
			'export function evaluateCandidate() { console.log(\'{"metrics":{"m":1}}\'); process.exit(0); }',
			'EvaluatorProcessError: the process ended with exit 0 before the evaluator returned',
		],
		[
			'exits with 5',
			'export function evaluateCandidate() { console.error("no licence"); process.exit(5); }',
			'EvaluatorProcessError: exit 5: no licence',
		],
		[
			'kills itself',
			'export function evaluateCandidate() { process.kill(process.pid, "SIGKILL"); return new Promise(() => {}); }',
			'EvaluatorProcessError: SIGKILL',
		],
		[
			'never settles and has nothing left to do',
			'export function evaluateCandidate() { return new Promise(() => {}); }',
			'EvaluatorProcessError: exit 13',
		],
		['is not there', 'export const other = 1;', 'TypeError: '],
		['returns NaN', 'export const evaluateCandidate = () => ({ metrics: { m: NaN } });', 'finite and numeric'],
		[
			'returns a date',
			'export const evaluateCandidate = () => ({ metrics: {}, metadata: { d: new Date() } });',
			'JSON compatible',
		],
	])('that %s is a recorded failure and no more [A64, D30, XE27]', async (_, text, error) => {
		await using folder = await temporaryFolder();
		const evaluation = await evaluate({ evaluator: await moduleOf(folder.path, text) });
		expect(evaluation).toMatchObject({ metrics: {}, primaryMetric: null, metadata: {} });
		expect(evaluation.error).toContain(error);
	});

	it('that loops without end is killed with everything it started [D30, E12]', async () => {
		await using folder = await temporaryFolder();
		const name = `62.${process.pid}${Math.floor(performance.now())}`;
		const evaluator = await moduleOf(
			folder.path,
			`
			import { spawn } from 'node:child_process';
			export function evaluateCandidate() {
				spawn('sleep', ['${name}'], { detached: true, stdio: 'ignore' });
				for (;;);
			}`,
		);
		const evaluation = await evaluate({ evaluator, deadlineMs: 700, graceMs: 10_000 });
		expect(evaluation.error).toBe('TimeoutError: the deadline of 0.7 s passed');
		expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`sleep ${name}`);
	});

	it('has an identity of file and export, and is checked before anything is spent [E31, XE33]', async () => {
		await using folder = await temporaryFolder();
		const good = await moduleOf(folder.path, 'export default function () { return { metrics: {} }; }', 'default');
		expect(good).toMatchObject({ id: `module:${join(folder.path, 'evaluate.mjs')}#default` });
		await expect(check(good)).resolves.toBeUndefined();
		const misnamed = await moduleOf(folder.path, 'export function evaluateCandidates() {}');
		await expect(check(misnamed)).rejects.toMatchObject({ code: 'EVALUATOR_MODULE', category: 'usage' });
		await expect(check(await moduleOf(folder.path, 'syntax error'))).rejects.toMatchObject({
			code: 'EVALUATOR_MODULE',
		});
		const absent = moduleEvaluator({ module: '/no/such/folder/evaluate.mjs#f', nodeProgram, environment });
		await expect(check(absent)).rejects.toMatchObject({ code: 'EVALUATOR_MODULE' });
		await expect(check(await moduleOf(folder.path, 'process.exit(0)'))).rejects.toMatchObject({
			code: 'EVALUATOR_MODULE',
			message: expect.stringContaining('importing it ended the process'),
		});
	});

	it.each(['relative.mjs#f', '/absolute.mjs', '/absolute.mjs#', '#f', ''])('is refused as %j', (module) => {
		expect(() => moduleEvaluator({ module, nodeProgram, environment })).toThrow(
			expect.objectContaining({ code: 'EVALUATOR_MODULE', category: 'usage' }),
		);
	});
});

describe('a command evaluator', () => {
	it('reads the context in snake_case from stdin, and its last line is the result', async () => {
		await using folder = await temporaryFolder();
		const evaluator = await scriptOf(
			folder.path,
			`
			import { readFileSync } from 'node:fs';
			const context = JSON.parse(readFileSync(0, 'utf8'));
			console.log('measuring');
			console.log(JSON.stringify({ metrics: { size: readFileSync('candidate.txt').length }, primary_metric: 'size', metadata: { context } }));
			console.log('');`,
		);
		const evaluation = await evaluate({ evaluator });
		expect(evaluation).toMatchObject({ metrics: { size: 12 }, primaryMetric: 'size', error: null });
		expect(evaluation.metadata.context).toMatchObject({
			schema_version: 1,
			iteration: 5,
			goal: 'route faster',
			workspace_dir: expect.any(String),
			git_ref: 'generic_exp_4',
			parent_ref: 'generic_exp_2',
			commit: context.commit,
			parent_commit: context.parentCommit,
			idempotency_key: context.idempotencyKey,
			node: { node_id: 4, branch_name: 'generic_exp_4', evaluation_metrics: node.evaluationMetrics },
		});
		expect(evaluation.metadata.context).not.toHaveProperty('signal');
	});

	it.each([
		['says nothing', '', 'EvaluatorProcessError: exit 0 without a result on stdout'],
		['says no JSON', 'console.log("accuracy 0.9")', 'the last line of stdout is not JSON: accuracy 0.9'],
		['says NaN', 'console.log(\'{"metrics":{"m":NaN}}\')', 'is not JSON'],
		['says something after its result', 'console.log(\'{"metrics":{}}\'); console.log("done")', 'is not JSON: done'],
		['says another shape', 'console.log(\'{"accuracy":1}\')', 'TypeError: The iteration evaluator must return'],
		['says a result and fails', 'console.log(\'{"metrics":{}}\'); process.exit(1)', 'EvaluatorProcessError: exit 1'],
	])('that %s is a recorded failure [A56, A64]', async (_, text, error) => {
		await using folder = await temporaryFolder();
		const evaluation = await evaluate({ evaluator: await scriptOf(folder.path, text) });
		expect(evaluation.metrics).toEqual({});
		expect(evaluation.error).toContain(error);
	});

	it('is ended when the campaign is interrupted', async () => {
		await using folder = await temporaryFolder();
		const started = join(folder.path, 'started');
		const evaluator = await scriptOf(
			folder.path,
			`import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(started)}, ''); setInterval(() => {}, 1000);`,
		);
		const stop = new AbortController();
		const watch = setInterval(() => existsSync(started) && stop.abort(new Error('interrupted')), 20);
		await expect(evaluate({ evaluator, signal: stop.signal })).rejects.toThrow('interrupted');
		clearInterval(watch);
	});

	it('is looked for before anything is spent [E31]', async () => {
		const missing = commandEvaluator({ command: ['no-such-evaluator'], environment });
		await expect(check(missing)).rejects.toMatchObject({ code: 'EVALUATOR_COMMAND', category: 'usage' });
		await expect(check(commandEvaluator({ command: ['node'], environment }))).resolves.toBeUndefined();
		for (const command of [[], [''], ['./evaluate.sh']]) {
			expect(() => commandEvaluator({ command, environment })).toThrow(
				expect.objectContaining({ code: 'EVALUATOR_COMMAND' }),
			);
		}
	});
});

async function check(evaluator: IterationEvaluator): Promise<void> {
	if (typeof evaluator === 'function' || !evaluator.check) throw new Error('has no check');
	await evaluator.check();
}
