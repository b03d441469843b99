import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { evaluatorIdentity, type IterationEvaluationContext, type IterationEvaluator } from '../src/index.ts';
import { context, evaluate, node, withWorktree } from './fixture.ts';

const ok = { metrics: { accuracy: 0.9 } };

function call(act: () => unknown): typeof ok {
	act();
	return ok;
}

describe('the context', () => {
	it('tells one candidate exactly, in a working tree that goes with the call [XE07, XE09, XE10, XE12, M402, M403]', async () => {
		let seen: IterationEvaluationContext | undefined;
		let file = '';
		await evaluate({
			async evaluator(given) {
				seen = given;
				file = readFileSync(join(given.workspaceDir, 'candidate.txt'), 'utf8');
				return ok;
			},
		});
		expect(seen).toEqual({ ...context, workspaceDir: expect.any(String), signal: expect.any(AbortSignal) });
		expect(file).toBe('exactly this');
		expect(existsSync(seen!.workspaceDir)).toBe(false);
		expect(seen!.signal.aborted).toBe(true);
	});

	it('is a snapshot that cannot be changed, all the way down [XE11]', async () => {
		const tampering: Record<string, (given: IterationEvaluationContext) => void> = {
			score: (given) => Object.assign(given.node, { score: 99 }),
			metrics: (given) => Object.assign(given.node.metrics, { holdout: 1 }),
			nested: (given) => Object.assign(given.node.evaluationMetrics, { accuracy: 1 }),
			goal: (given) => Object.assign(given, { goal: 'another' }),
		};
		const before = structuredClone(node);
		for (const tamper of Object.values(tampering)) {
			const evaluation = await evaluate({ evaluator: (given) => call(() => tamper(given)) });
			expect(evaluation.error).toMatch(/^TypeError: Cannot (assign|add)/);
		}
		expect(node).toEqual(before);
		expect(Object.isFrozen(node)).toBe(false);
	});
});

describe('a measurement', () => {
	it('becomes metrics, a primary metric and metadata, as a later process will read them [XE14, M405]', async () => {
		const metadata = { suite: 'v1', runs: [1, { deep: null }] };
		const evaluation = await evaluate({
			evaluator: () => ({ metrics: { accuracy: 0.9, zero: -0 }, primaryMetric: 'accuracy', metadata }),
		});
		metadata.runs.length = 0;
		expect(evaluation).toEqual({
			metrics: { accuracy: 0.9, zero: 0 },
			primaryMetric: 'accuracy',
			metadata: { suite: 'v1', runs: [1, { deep: null }] },
			error: null,
		});
	});

	it('is made once, by a function or by an object that names itself, now or later [XE01]', async () => {
		const calls: string[] = [];
		const evaluators: IterationEvaluator[] = [
			() => call(() => calls.push('function')),
			async () => call(() => calls.push('async function')),
			{ id: 'object', evaluate: () => call(() => calls.push('object')) },
		];
		for (const evaluator of evaluators) expect((await evaluate({ evaluator })).metrics).toEqual({ accuracy: 0.9 });
		expect(calls).toEqual(['function', 'async function', 'object']);
	});
});

describe('the result contract', () => {
	const circle: Record<string, unknown> = {};
	circle.self = circle;
	it.each<[string, unknown, RegExp]>([
		['true for a metric [A52, XE16]', { metrics: { m: true } }, /m must be finite and numeric/],
		['text for a metric [A52, XE16]', { metrics: { m: '1' } }, /m must be finite and numeric/],
		['NaN [A52, XE16, M409]', { metrics: { m: Number.NaN } }, /m must be finite and numeric/],
		['infinity [A52, XE16, M409]', { metrics: { m: Number.POSITIVE_INFINITY } }, /m must be finite and numeric/],
		['a bigint [XE16]', { metrics: { m: 1n } }, /m must be finite and numeric/],
		['null for a metric [XE16]', { metrics: { m: null } }, /m must be finite and numeric/],
		['a metric without a name [XE15]', { metrics: { '': 1 } }, /metrics/],
		['a metric with a blank name [XE15]', { metrics: { ' ': 1 } }, /metrics/],
		[
			'a primary metric that is none [A53, XE17]',
			{ metrics: { a: 1 }, primaryMetric: 'b' },
			/primaryMetric must name one/,
		],
		['an inherited name as primary metric [A53]', { metrics: { a: 1 }, primaryMetric: 'toString' }, /primaryMetric/],
		[
			'metadata with a date [A54, XE18]',
			{ metrics: {}, metadata: { at: new Date(0) } },
			/metadata must be JSON compatible/,
		],
		['metadata with a function [A54, XE18]', { metrics: {}, metadata: { f() {} } }, /JSON compatible/],
		['metadata with undefined [XE18]', { metrics: {}, metadata: { u: undefined } }, /JSON compatible/],
		['metadata with NaN deep inside [XE18]', { metrics: {}, metadata: { a: [{ b: Number.NaN }] } }, /JSON compatible/],
		['metadata with a hole [XE18]', { metrics: {}, metadata: { a: new Array(2) } }, /JSON compatible/],
		['metadata with a symbol for a key [XE18]', { metrics: {}, metadata: { [Symbol('s')]: 1 } }, /JSON compatible/],
		['metadata without end [XE18]', { metrics: {}, metadata: circle }, /JSON compatible/],
		['metadata that is a list [XE18]', { metrics: {}, metadata: [] }, /JSON compatible/],
		['a map of metrics', { metrics: new Map([['a', 1]]) }, /metrics/],
		['a bare object of metrics [A56, XE14]', { accuracy: 1 }, /must return \{ metrics.*not an object of accuracy/],
		['a number [A56, XE14]', 0.5, /must return .*not a number/],
		['nothing [A56, XE14]', undefined, /must return .*not undefined/],
		['a list [A56]', [0.5], /must return .*not another object/],
		['a key in another spelling [A56]', { metrics: { a: 1 }, primary_metric: 'a' }, /must return .*primary_metric/],
	])('refuses %s', async (_, value, problem) => {
		const evaluation = await evaluate({ evaluator: () => value as never });
		expect(evaluation).toMatchObject({ metrics: {}, primaryMetric: null, metadata: {} });
		expect(evaluation.error).toMatch(/^TypeError: The iteration evaluator must return/);
		expect(evaluation.error).toMatch(problem);
	});
});

describe('a failing evaluator', () => {
	class SuiteError extends Error {
		override name = 'SuiteError';
	}
	it.each<[string, IterationEvaluator, string]>([
		[
			'throws at once',
			() => {
				throw new RangeError('too far');
			},
			'RangeError: too far',
		],
		[
			'rejects later',
			async () => {
				await sleep(5);
				throw new SuiteError('no data');
			},
			'SuiteError: no data',
		],
		[
			'throws text',
			() => {
				throw 'plain';
			},
			'string: plain',
		],
		[
			'throws nothing',
			() => {
				throw undefined;
			},
			'undefined: undefined',
		],
		[
			'throws null',
			() => {
				throw null;
			},
			'object: null',
		],
		[
			'throws what cannot be shown',
			() => {
				throw Object.create(null);
			},
			'object: a value that cannot be shown',
		],
		['rejects with a number', () => Promise.reject(7), 'number: 7'],
	])(
		'that %s is a record under record: no metrics, type and message [A64, XE26, XE27, M408, M416]',
		async (_, evaluator, error) => {
			expect(await evaluate({ evaluator })).toEqual({ metrics: {}, primaryMetric: null, metadata: {}, error });
		},
	);

	it('stops everything under raise, naming candidate and branch [A65, XE29, M408]', async () => {
		const cause = new Error('no data');
		const raised = evaluate({ policy: 'raise', evaluator: () => Promise.reject(cause) });
		await expect(raised).rejects.toMatchObject({
			name: 'IterationEvaluationError',
			code: 'ITERATION_EVALUATION_FAILED',
			category: 'infrastructure',
			message: 'The iteration evaluator failed for candidate 4 (generic_exp_4): Error: no data',
			data: { nodeId: 4, branch: 'generic_exp_4', error: 'Error: no data' },
			cause,
		});
	});

	it('under raise may also be one whose result breaks the contract [A65]', async () => {
		await expect(evaluate({ policy: 'raise', evaluator: () => ({ metrics: { m: Number.NaN } }) })).rejects.toThrow(
			/candidate 4 \(generic_exp_4\): TypeError: .*finite and numeric/,
		);
	});

	it('that never settles is ended at its deadline, told so by its signal [D30]', async () => {
		let reason: unknown;
		const evaluator: IterationEvaluator = ({ signal }) => {
			signal.addEventListener('abort', () => {
				reason ??= signal.reason;
			});
			return new Promise<never>(() => {});
		};
		const evaluation = await evaluate({ evaluator, deadlineMs: 50, graceMs: 20 });
		expect(evaluation).toEqual({
			metrics: {},
			primaryMetric: null,
			metadata: {},
			error: 'TimeoutError: the deadline of 0.05 s passed',
		});
		expect(reason).toMatchObject({ name: 'TimeoutError' });
	});

	it('that answers after its deadline has not measured anything, and has its tree until it is done [D30]', async () => {
		let treeAtTheEnd = false;
		const evaluator: IterationEvaluator = async ({ workspaceDir, signal }) => {
			await new Promise((resolve) => signal.addEventListener('abort', resolve));
			await sleep(50);
			treeAtTheEnd = existsSync(workspaceDir);
			return ok;
		};
		const evaluation = await evaluate({ evaluator, deadlineMs: 30, graceMs: 5000 });
		expect(evaluation).toMatchObject({ metrics: {}, error: expect.stringContaining('TimeoutError') });
		expect(treeAtTheEnd).toBe(true);
	});

	it('has as long as it was given, also when that is more than a timer can hold', async () => {
		const evaluator: IterationEvaluator = async () => {
			await sleep(20);
			return ok;
		};
		expect((await evaluate({ evaluator, deadlineMs: 2 ** 40 })).error).toBeNull();
		expect((await evaluate({ evaluator, deadlineMs: Number.POSITIVE_INFINITY })).error).toBeNull();
	});

	it('under raise raises for its deadline too [D30]', async () => {
		const evaluator: IterationEvaluator = () => new Promise<never>(() => {});
		await expect(evaluate({ policy: 'raise', evaluator, deadlineMs: 20, graceMs: 0 })).rejects.toMatchObject({
			code: 'ITERATION_EVALUATION_FAILED',
		});
	});
});

describe('what is not the evaluator’s doing', () => {
	it('is thrown as it is: an interruption of the campaign', async () => {
		const stop = new AbortController();
		const reason = new Error('interrupted by the user');
		const evaluator: IterationEvaluator = () => {
			stop.abort(reason);
			return new Promise<never>(() => {});
		};
		await expect(evaluate({ evaluator, signal: stop.signal, graceMs: 0 })).rejects.toBe(reason);
		const calls: string[] = [];
		const never: IterationEvaluator = () => call(() => calls.push('after the interruption'));
		await expect(evaluate({ evaluator: never, signal: stop.signal })).rejects.toBe(reason);
		expect(calls).toEqual([]);
	});

	it('is thrown as it is: a working tree that cannot be made or removed', async () => {
		const broken = new Error('disk full');
		await expect(evaluate({ evaluator: () => ok, withWorktree: () => Promise.reject(broken) })).rejects.toBe(broken);
		const removal = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
			await withWorktree(use);
			throw broken;
		};
		await expect(evaluate({ evaluator: () => ok, withWorktree: removal })).rejects.toBe(broken);
	});
});

describe('the identity of an evaluator', () => {
	it('is its id, else its function’s name [XE33]', () => {
		function measureLatency() {
			return ok;
		}
		expect(evaluatorIdentity(measureLatency)).toBe('measureLatency');
		expect(evaluatorIdentity(Object.assign(() => ok, { id: 'suite@2' }))).toBe('suite@2');
		expect(evaluatorIdentity({ id: 'object', evaluate: measureLatency })).toBe('object');
	});

	it.each<[string, IterationEvaluator]>([
		[
			'an anonymous function',
			(
				() => () =>
					ok
			)(),
		],
		['an anonymous default export', Object.defineProperty(() => ok, 'name', { value: 'default' })],
		['a bound function', evaluate.bind(null) as never],
		['a blank id', { id: ' ', evaluate: () => ok }],
	])('cannot be %s [XE33, XE35]', (_, evaluator) => {
		expect(() => evaluatorIdentity(evaluator)).toThrow(
			expect.objectContaining({ code: 'EVALUATOR_NAMELESS', category: 'usage' }),
		);
	});
});
