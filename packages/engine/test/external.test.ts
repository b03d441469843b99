import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLedger } from '@kapso-evolve/checkpoint';
import type { IterationEvaluationContext, IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import { countingIds, fakeClock, git } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { evolve, readCampaign, resumeCampaign } from '../src/index.ts';
import { addOne, numberProblem } from './number-problem.ts';

const environment = { PATH: process.env.PATH };
/** The agent reports its own number: these campaigns need no sandbox. */
const reported = `${addOne.replace("report({ summary: 'one more' });", '')} report({ summary: prompt, score: Number(read('value.txt')) });`;

describe('the caller’s evaluator', () => {
	it('sees exactly each finalised candidate once, and its values steer nothing [A58, A60, A61, A62, A66, M401, M403, M404, M406, M407, M412, M413, M414, M415, XE02, XE04, XE05, XE06, XE08, XE13, XE19, XE20, XE21, XE22, EI48]', async () => {
		await using problem = await numberProblem();
		const calls: { context: IterationEvaluationContext; head: string; root: string; value: string }[] = [];
		const preferTheFirst: IterationEvaluator = {
			id: 'prefers-the-first',
			async evaluate(context) {
				const head = await git(context.workspaceDir, 'rev-parse', 'HEAD');
				const root = await git(problem.output, 'symbolic-ref', '--short', 'HEAD');
				calls.push({ context, head, root, value: await readFile(join(context.workspaceDir, 'value.txt'), 'utf8') });
				return {
					metrics: { holdout_7531: 100 - context.node.nodeId },
					primaryMetric: 'holdout_7531',
					metadata: { suite: 'v1' },
				};
			},
		};
		const options = await problem.options(reported, { evalDir: undefined, iterationEvaluator: preferTheFirst });
		const solution = await evolve(options);
		expect(solution.best).toMatchObject({ nodeId: 1, score: 3 });
		expect(solution.metadata).toMatchObject({
			externalMetrics: { holdout_7531: 99 },
			externalPrimaryMetric: 'holdout_7531',
		});
		await resumeCampaign(problem.output, { maxIterations: 1, iterationEvaluator: preferTheFirst, environment });

		expect(
			calls.map(({ context }) => [context.iteration, context.node.nodeId, context.gitRef, context.parentRef]),
		).toEqual([
			[1, 0, 'generic_exp_0', 'main'],
			[2, 1, 'generic_exp_1', 'generic_exp_0'],
			[3, 2, 'generic_exp_2', 'generic_exp_1'],
		]);
		for (const { context, head, root } of calls) {
			expect(head).toBe(context.commit);
			expect(root).toBe('main');
			expect(existsSync(context.workspaceDir)).toBe(false);
		}
		expect(calls.map(({ value }) => value)).toEqual(['2', '3', '4']);
		expect(new Set(calls.map(({ context }) => context.idempotencyKey)).size).toBe(3);
		for (const file of ['experiment_history.json', 'run_state.json']) {
			const text = await readFile(join(problem.output, '.kapso', file), 'utf8');
			expect(text).toContain('holdout_7531');
			expect(text).toContain('primary_metric');
		}
	});

	it('never reaches an agent: neither value nor name nor error stands in a prompt or a candidate [A57, D25, M411, EI49, RN01, XE23, T104]', async () => {
		await using problem = await numberProblem();
		const failing = Object.assign(
			(context: IterationEvaluationContext) => {
				if (context.node.nodeId === 0) throw new RangeError('secret_error_8642');
				return { metrics: { secret_metric_1357: 0.97531 } };
			},
			{ id: 'sometimes' },
		);
		await evolve(
			await problem.options(reported, { evalDir: undefined, iterationEvaluator: failing, maxIterations: 3 }),
		);
		const { nodes } = await readCampaign(problem.output);
		expect(nodes[0]).toMatchObject({ metrics: {}, externalEvaluationError: 'RangeError: secret_error_8642' });
		expect(nodes[1]).toMatchObject({ metrics: { secret_metric_1357: 0.97531 } });
		const prompts = nodes.map((node) => node.solution).join('\n');
		expect(prompts).toContain('# Goal');
		const tracked = await git(problem.output, 'grep', '-c', '.', 'generic_exp_2');
		for (const secret of ['secret_error_8642', 'secret_metric_1357', '0.97531']) {
			expect(prompts).not.toContain(secret);
			expect(tracked).not.toContain(secret);
		}
	});

	it('under raise stops before the candidate is recorded; branch and cost stay [A65, M408, XE28, XE30, XE31, XE32]', async () => {
		await using problem = await numberProblem();
		const script = "write('value.txt', '2'); report({ summary: 's', score: 2, cost_usd: 0.5 });";
		const raising = Object.assign(() => Promise.reject(new Error('no licence')), { id: 'raising' });
		const options = await problem.options(script, {
			evalDir: undefined,
			iterationEvaluator: raising,
			iterationEvaluatorFailurePolicy: 'raise',
		});
		await expect(evolve(options)).rejects.toMatchObject({
			name: 'IterationEvaluationError',
			category: 'infrastructure',
			message: expect.stringMatching(/candidate 0.*generic_exp_0[\s\S]*no licence/),
		});
		const view = await readCampaign(problem.output);
		expect(view).toMatchObject({
			cumulativeIterations: 0,
			nodes: [],
			costUsd: 0.5,
			lastStop: { reason: 'infrastructure' },
		});
		expect(await git(problem.output, 'show', 'generic_exp_0:value.txt')).toBe('2');
		const healed = Object.assign(() => ({ metrics: { fine: 1 } }), { id: 'raising' });
		const resumed = await resumeCampaign(problem.output, { iterationEvaluator: healed, environment });
		expect(resumed.candidates.total).toBe(2);
		expect((await readCampaign(problem.output)).nodes[0]).toMatchObject({
			branchName: 'generic_exp_0',
			attempt: 1,
			metrics: { fine: 1 },
		});
	});

	it('is part of what a resume must share [A63, XE25, XE34, D18]', async () => {
		await using problem = await numberProblem();
		const first = Object.assign(() => ({ metrics: {} }), { id: 'first' });
		const options = await problem.options(reported, {
			evalDir: undefined,
			iterationEvaluator: first,
			maxIterations: 1,
		});
		await evolve(options);
		const other = Object.assign(() => ({ metrics: {} }), { id: 'other' });
		await expect(
			evolve({ ...options, resume: true, initialRepo: undefined, iterationEvaluator: other }),
		).rejects.toMatchObject({
			code: 'RUN_CHECKPOINT_INCOMPATIBLE',
			message: expect.stringContaining('evaluator'),
		});
	});
});

describe('a metric that the caller selects by', () => {
	const lengths: IterationEvaluator = {
		id: 'lengths',
		evaluate: ({ node }) => ({
			metrics: node.nodeId === 1 ? ({} as Record<string, number>) : { length: node.nodeId === 0 ? 5 : 9 },
		}),
	};
	it('ranks by that metric alone, in its direction, and gives a candidate without it no rank [A61, M410, M417, RR08, RG05]', async () => {
		await using problem = await numberProblem();
		const options = await problem.options(reported, {
			evalDir: undefined,
			maxIterations: 3,
			parentPolicy: 'baseline',
			iterationEvaluator: lengths,
			selectionMetric: 'length',
			selectionDirection: 'minimize',
		});
		expect((await evolve(options)).best).toMatchObject({ nodeId: 0 });
		await using other = await numberProblem();
		const upwards = {
			...(await other.options(reported, options)),
			outputPath: other.output,
			initialRepo: other.seed,
			workDir: join(other.folder, 'state'),
		};
		expect((await evolve({ ...upwards, selectionDirection: 'maximize' })).best).toMatchObject({ nodeId: 2 });
	});

	it('is refused without a direction or an evaluator, and when it is the holdout [T104, E47]', async () => {
		await using problem = await numberProblem();
		const refused = await evolve(
			await problem.options(reported, { selectionMetric: 'h', holdoutMetrics: ['h'] }),
		).catch((error: unknown) => error);
		expect(refused).toMatchObject({
			code: 'OPTIONS_INVALID',
			message: expect.stringMatching(/one says nothing without the other[\s\S]*held out[\s\S]*no iterationEvaluator/),
		});
	});

	it('and a holdout is looked at no more often than allowed [E47, T109]', async () => {
		await using problem = await numberProblem();
		let calls = 0;
		const holdout = Object.assign(() => ({ metrics: { test_accuracy: ++calls } }), { id: 'holdout' });
		await evolve(
			await problem.options(reported, {
				evalDir: undefined,
				maxIterations: 3,
				iterationEvaluator: holdout,
				holdoutMetrics: ['test_accuracy'],
				maxHoldoutLooks: 2,
			}),
		);
		expect(calls).toBe(2);
		const { nodes } = await readCampaign(problem.output);
		expect(nodes.map((node) => node.metrics.test_accuracy ?? null)).toEqual([1, 2, null]);
		expect(nodes[2]?.externalEvaluationError).toMatch(/^HoldoutLooksUsed/);
	});

	it('apart, external values change no step of the search: permuted, the trajectory is the same [M415, RN01, XE23]', async () => {
		const trajectory = async (factor: number) => {
			await using problem = await numberProblem();
			const clock = fakeClock();
			const values = Object.assign(
				(context: IterationEvaluationContext) => ({ metrics: { value: factor * context.node.nodeId } }),
				{ id: 'values' },
			);
			const options = await problem.options(
				addOne.replace(
					"report({ summary: 'one more' });",
					"report({ summary: 'one more', score: Number(read('value.txt')) });",
				),
				{
					evalDir: undefined,
					maxIterations: 3,
					iterationEvaluator: values,
					clock,
					ids: countingIds(),
				},
			);
			await evolve(options);
			const { lines } = await readLedger({ path: join(problem.output, '.kapso', 'ledger.jsonl') });
			return lines
				.filter((line) => line.type !== 'external')
				.map(({ type, node_id, attempt, data }) => {
					const { node, ...rest } = data as { node?: Record<string, unknown> };
					const stable = JSON.stringify({ ...rest, node: { ...node, metrics: {} } }, (key, value) =>
						/_ms$|sha256|transcript|report|duration|elapsed|records|command|output|main_commit|seed_commit|suite_digest|repairs|commit|diff/.test(
							key,
						)
							? undefined
							: value,
					);
					return [type, node_id, attempt, stable];
				});
		};
		expect(await trajectory(-1)).toEqual(await trajectory(1000));
	});
});

describe('what an agent is told', () => {
	it('forbids touching the suite, allows its outputs, and brings the last feedback [A83, M317, EI01, EI03]', async () => {
		await using problem = await numberProblem();
		const { rm, writeFile } = await import('node:fs/promises');
		await rm(join(problem.suite, 'kapso.evaluation.yaml'));
		await writeFile(join(problem.suite, 'evaluate.py'), 'print(1)\n');
		await evolve(await problem.options(reported));
		const [first, second] = (await readCampaign(problem.output)).nodes;
		expect(first?.solution).toMatch(/Do not modify, delete, replace or extend/);
		expect(first?.solution).toContain('result.json');
		expect(second?.solution).toContain(first?.feedback);
		expect(await readdir(problem.folder)).not.toContain('.campaign.kapso-setup');
	});
});
