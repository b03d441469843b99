import { describe, expect, it } from 'vitest';
import {
	agentReportSchema,
	commitIdSchema,
	evaluationFileSchema,
	evaluationResultSchema,
	fromDiskNames,
	ledgerLineSchema,
	searchNodeSchema,
	toDiskNames,
} from '../src/index.ts';

const score = { command: ['node', 'score.mjs'] };

describe('the evaluation file', () => {
	it('needs a version and nothing else, and fills in every default', () => {
		const file = evaluationFileSchema.parse({ version: 1, score });
		expect(file).toMatchObject({
			objective: 'maximize',
			repeats: 1,
			noise: 0,
			max_retries: 0,
			score: { timeout_seconds: 60 },
			limits: { cpu_seconds: 600, memory_mb: 4096, processes: 64, output_mb: 256, output_files: 10_000 },
		});
		expect(file.run).toBeUndefined();
	});

	it('reports every problem at once, with its path', () => {
		const { error } = evaluationFileSchema.safeParse({
			version: 2,
			objektive: 'maximize',
			score: { command: [] },
			env: ['A B'],
			limits: { memory: 1 },
			target_score: Number.NaN,
		});
		const paths = error!.issues.map(({ path, code }) => `${path.join('.')} ${code}`);
		expect(paths).toEqual(
			expect.arrayContaining([
				'version invalid_value',
				'score.command too_small',
				'env.0 invalid_format',
				'limits unrecognized_keys',
				' unrecognized_keys',
			]),
		);
		expect(paths.some((path) => path.startsWith('target_score'))).toBe(true);
	});

	it('takes argv, never a shell line', () => {
		expect(evaluationFileSchema.safeParse({ version: 1, score: { command: 'node score.mjs' } }).success).toBe(false);
	});

	it('refuses a run or build phase without a score phase: nothing else may score', () => {
		for (const phase of ['run', 'build']) {
			const { error } = evaluationFileSchema.safeParse({ version: 1, [phase]: score });
			expect(error!.issues.map(({ path }) => path)).toEqual([[phase]]);
		}
	});
});

describe('the result of a scorer', () => {
	it('is a finite score with named finite metrics, or a reason', () => {
		expect(evaluationResultSchema.parse({ schema_version: 1, valid: true, score: 0.5 })).toMatchObject({ metrics: {} });
		expect(evaluationResultSchema.safeParse({ schema_version: 1, valid: false, reason: 'no tours' }).success).toBe(
			true,
		);
	});

	it.each([
		['a number that is not finite', { schema_version: 1, valid: true, score: Number.NaN }],
		['an infinite metric', { schema_version: 1, valid: true, score: 1, metrics: { a: Number.POSITIVE_INFINITY } }],
		['a boolean', { schema_version: 1, valid: true, score: true }],
		['a number as text', { schema_version: 1, valid: true, score: '1' }],
		['no score', { schema_version: 1, valid: true }],
		['a score that is not valid', { schema_version: 1, valid: false, score: 1 }],
		['an unknown key', { schema_version: 1, valid: true, score: 1, passed: true }],
		['no version', { valid: true, score: 1 }],
	])('is refused with %s', (_what, result) => {
		expect(evaluationResultSchema.safeParse(result).success).toBe(false);
	});
});

describe("an agent's report", () => {
	it('may carry keys that we do not know, and null where there is nothing to say', () => {
		const report = { schema_version: 1, nonce: 'n', summary: 's', score: null, cost_usd: null, mood: 'fine' };
		expect(agentReportSchema.parse(report)).not.toHaveProperty('mood');
	});

	it('is refused without its nonce, with a negative cost or a score that is no number', () => {
		const report = { schema_version: 1, nonce: 'n', summary: 's' };
		for (const wrong of [{ nonce: '' }, { cost_usd: -1 }, { score: '0.9' }, { schema_version: 2 }])
			expect(agentReportSchema.safeParse({ ...report, ...wrong }).success).toBe(false);
	});
});

const node = {
	nodeId: 0,
	parentNodeId: null,
	iteration: 1,
	branchName: 'generic_exp_0',
	parentBranchName: 'main',
	commit: 'a'.repeat(40),
	parentCommit: 'b'.repeat(64),
	outcome: 'scored',
	score: 0.5,
} as const;

describe('a search node', () => {
	it('of an older history loads with empty defaults [RC03]', () => {
		expect(searchNodeSchema.parse(node)).toMatchObject({
			attempt: 1,
			metrics: {},
			primaryMetric: null,
			externalEvaluationMetadata: {},
			evaluationValid: true,
			costUsd: null,
			confirmation: 'none',
		});
	});

	it('survives the way to disk and back, metric names untouched', () => {
		const full = searchNodeSchema.parse({ ...node, metrics: { valAccuracy: 1, val_accuracy: 2 } });
		const disk = toDiskNames(full);
		expect(disk).toMatchObject({ node_id: 0, parent_branch_name: 'main', tree_sha256: null, cost_usd: null });
		expect(disk.metrics).toEqual({ valAccuracy: 1, val_accuracy: 2 });
		expect(searchNodeSchema.parse(fromDiskNames(JSON.parse(JSON.stringify(disk))))).toEqual(full);
		for (const key of Object.keys(full)) expect(Object.keys(fromDiskNames(toDiskNames({ [key]: 1 })))).toEqual([key]);
	});

	it('never holds a score that is no number', () => {
		for (const score of [Number.NaN, Number.POSITIVE_INFINITY, '1', true])
			expect(searchNodeSchema.safeParse({ ...node, score }).success).toBe(false);
	});
});

describe('names of bytes', () => {
	it('are full commit ids of either hash, in lower case', () => {
		for (const id of ['a'.repeat(40), '0'.repeat(64)]) expect(commitIdSchema.safeParse(id).success).toBe(true);
		for (const id of ['a'.repeat(39), 'A'.repeat(40), `${'a'.repeat(40)}\n`, 'main'])
			expect(commitIdSchema.safeParse(id).success).toBe(false);
	});

	it('chain ledger lines, which carry JSON and nothing else', () => {
		const line = {
			v: 1,
			seq: 0,
			prev: '0'.repeat(64),
			time: 't',
			type: 'opened',
			slice: 0,
			node_id: null,
			attempt: null,
		};
		const whole = { ...line, data: { a: [1, null] }, sha256: '1'.repeat(64) };
		expect(ledgerLineSchema.parse(whole)).toEqual(whole);
		for (const wrong of [{ type: 'other' }, { attempt: 0 }, { data: { a: undefined } }, { seq: -1 }, { extra: 1 }])
			expect(ledgerLineSchema.safeParse({ ...whole, ...wrong }).success).toBe(false);
	});
});
