import { type SearchNode, searchNodeSchema } from '@kapso-evolve/contracts';
import type { CampaignView, CandidateView, SolutionResult } from '@kapso-evolve/engine';
import { describe, expect, it } from 'vitest';
import { exitCodeOfSolution } from '../src/campaign-exit.ts';
import { demoDocumentSchema } from '../src/documents/demo-document.ts';
import { evolveDocument, evolveDocumentSchema } from '../src/documents/evolve-document.ts';
import { refuseExternalToAgents } from '../src/documents/external.ts';
import { logDocument, logDocumentSchema } from '../src/documents/log-document.ts';
import { showDocument, showDocumentSchema } from '../src/documents/show-document.ts';
import { statusDocument, statusDocumentSchema } from '../src/documents/status-document.ts';
import { verifyDocument, verifyDocumentSchema } from '../src/documents/verify-document.ts';
import { logTree } from '../src/log-tree.ts';
import { showText } from '../src/show-text.ts';

const plain = (_: unknown, text: string): string => text;
const commit = 'a'.repeat(40);
const head = 'b'.repeat(64);

const node = (fields: Partial<SearchNode>): SearchNode =>
	searchNodeSchema.parse({
		nodeId: 0,
		parentNodeId: null,
		iteration: 1,
		branchName: `generic_exp_${fields.nodeId ?? 0}`,
		parentBranchName: 'main',
		commit,
		parentCommit: commit,
		outcome: 'scored',
		score: 0.5,
		metrics: { hidden_score: 0.123456 },
		primaryMetric: 'hidden_score',
		externalEvaluationMetadata: { note: 'HOLDOUT' },
		...fields,
	});

const best = {
	nodeId: 1,
	branch: 'generic_exp_1',
	commit,
	score: 0.86,
	scoreSource: 'engine',
	confirmed: true,
	evaluationLevel: 'sealed',
	isolation: 'os',
	evaluationProvenance: 'provided',
} as const;

const solution: SolutionResult = {
	goal: 'g',
	outputPath: '/o',
	objective: 'maximize',
	evaluationLevel: 'sealed',
	isolation: 'os',
	best,
	baselineScore: 0.81,
	improved: true,
	delivery: { ref: 'generic_exp_1', checkedOut: true, reason: null },
	candidates: { total: 3, scored: 1, invalid: 1, failed: 1 },
	experimentLogs: [],
	finalFeedback: null,
	metadata: {
		iterations: 3,
		cumulativeIterations: 3,
		costUsd: 0,
		costUnknown: false,
		elapsedSeconds: 41.2,
		stoppedReason: 'max_iterations',
		stopDetail: null,
		bestBranch: 'generic_exp_1',
		resumed: false,
		invalidEvaluations: [2],
		externalMetrics: { hidden_score: 0.84 },
		externalPrimaryMetric: 'hidden_score',
		ledgerHead: head,
	},
};

const nodes = [
	node({ nodeId: 0, score: null, outcome: 'crashed', code: 'EXIT', costUsd: 0.25 }),
	node({ nodeId: 1, score: 0.86, confirmation: 'confirmed', costUsd: 0 }),
	node({
		nodeId: 2,
		parentNodeId: 1,
		parentBranchName: 'generic_exp_1',
		score: null,
		outcome: 'invalid',
		evaluationValid: false,
	}),
	node({ nodeId: 3, parentNodeId: 1, parentBranchName: 'generic_exp_1', score: 0.8, costUsd: 0 }),
];

describe('The documents that other programs read', () => {
	it('evolve: the fields of the contract, in its order', () => {
		const document = evolveDocument(solution);
		expect(evolveDocumentSchema.parse(document)).toEqual(document);
		expect(document).toEqual({
			schema_version: 1,
			output: '/o',
			goal: 'g',
			resumed: false,
			objective: 'maximize',
			iterations: 3,
			cumulative_iterations: 3,
			stopped_reason: 'max_iterations',
			stop_detail: null,
			baseline_score: 0.81,
			improved: true,
			best: {
				node_id: 1,
				branch: 'generic_exp_1',
				commit,
				score: 0.86,
				score_source: 'engine',
				confirmed: true,
				evaluation_level: 'sealed',
				isolation: 'os',
				evaluation_provenance: 'provided',
			},
			delivery: { ref: 'generic_exp_1', checked_out: true, reason: null },
			candidates: { total: 3, scored: 1, invalid: 1, failed: 1 },
			invalid_evaluations: [2],
			external_metrics: { hidden_score: 0.84 },
			external_primary_metric: 'hidden_score',
			cost_usd: 0,
			cost_unknown: false,
			elapsed_seconds: 41.2,
			ledger_head: head,
		});
	});

	it('demo: that of evolve, and the hidden set apart from it', () => {
		const document = { ...evolveDocument(solution), hidden_score: { baseline: 0.9, best: 0.95 } };
		expect(demoDocumentSchema.parse(document)).toEqual(document);
	});

	it('log: one entry a candidate; failures have no number', () => {
		const document = logDocument({ nodes } as unknown as CampaignView, { external: false });
		expect(logDocumentSchema.parse(document)).toEqual(document);
		expect(document.nodes[0]).toEqual({
			node_id: 0,
			parent_node_id: null,
			branch: 'generic_exp_0',
			commit,
			score: null,
			outcome: 'crashed',
			evaluation_valid: true,
			cost_usd: 0.25,
		});
		expect(document.nodes[2]).toMatchObject({ outcome: 'invalid', evaluation_valid: false, cost_usd: null });
	});

	it('verify: what the report says', () => {
		const document = verifyDocument({
			ok: false,
			anchored: false,
			lines: 118,
			candidates: 10,
			problems: [{ code: 'X', message: 'm' }],
			notProven: ['visible-suite'],
		});
		expect(verifyDocumentSchema.parse(document)).toEqual({
			schema_version: 1,
			ok: false,
			anchored: false,
			lines: 118,
			candidates: 10,
			problems: [{ code: 'X', message: 'm' }],
			not_proven: ['visible-suite'],
		});
	});
});

const slice = { resumed: false, iterations: 4, checkedOut: 'main' };

describe('External metrics, possibly a holdout', () => {
	const ledgerLine = (type: string, data: object) => ({
		v: 1,
		seq: 0,
		prev: head,
		time: '',
		type,
		slice: 0,
		node_id: 1,
		attempt: 1,
		data,
		sha256: head,
	});
	const candidate = {
		node: node({ nodeId: 1 }),
		diff: '',
		ledger: [
			ledgerLine('external', { hidden_score: 0.123456 }),
			ledgerLine('recorded', {
				node: { score: 0.5, metrics: { hidden_score: 0.123456 }, external_evaluation_metadata: { note: 'HOLDOUT' } },
			}),
		],
	} as unknown as CandidateView;
	const view: CampaignView = {
		output: '/o',
		goal: 'g',
		objective: 'maximize',
		status: 'running',
		lock: null,
		lastStop: null,
		evaluationLevel: 'sealed',
		isolation: 'os',
		cumulativeIterations: 4,
		baselineScore: 0.81,
		improved: true,
		best,
		candidates: solution.candidates,
		invalidEvaluations: [2],
		costUsd: 0,
		costUnknown: true,
		elapsedSeconds: 1,
		ledgerHead: head,
		legacySchema: null,
		nodes,
	} as unknown as CampaignView;

	it('leave a status with the fields of evolve and its own', () => {
		const document = statusDocument(view, { external: false, slice });
		expect(statusDocumentSchema.parse(document)).toEqual(document);
		const { external_metrics: _, external_primary_metric: __, ...shared } = evolveDocumentSchema.shape;
		expect(Object.keys(document).sort()).toEqual(
			[...Object.keys(shared), 'status', 'legacy_schema', 'lock', 'last_stop'].sort(),
		);
		expect(document).toMatchObject({
			delivery: { ref: 'generic_exp_1', checked_out: false, reason: 'main is checked out' },
		});
	});

	it('are in nothing that status, log and show print, unless asked for by name [D25]', () => {
		const printed = [
			statusDocument(view, { external: false, slice }),
			logDocument(view, { external: false }),
			showDocument(candidate, { external: false }),
			logTree({ nodes, baselineScore: 0.81, bestNodeId: 1, external: false, style: plain }),
			showText(candidate, { external: false, style: plain }),
		].map((part) => JSON.stringify(part));
		for (const text of printed) expect(text).not.toMatch(/0\.123456|HOLDOUT|hidden_score/);

		const asked = [
			statusDocumentSchema.parse(statusDocument(view, { external: true, slice })),
			logDocumentSchema.parse(logDocument(view, { external: true })),
			showDocumentSchema.parse(showDocument(candidate, { external: true })),
			logTree({ nodes, baselineScore: 0.81, bestNodeId: 1, external: true, style: plain }),
			showText(candidate, { external: true, style: plain }),
		].map((part) => JSON.stringify(part));
		for (const text of asked) expect(text).toContain('0.123456');
	});

	it('are refused to an agent that asks through this very program [D25]', () => {
		expect(() => refuseExternalToAgents({ KAPSO_RUN_ID: 'run-1' })).toThrowError(
			expect.objectContaining({ code: 'EXTERNAL_REFUSED', category: 'usage' }),
		);
		expect(refuseExternalToAgents({})).toBeUndefined();
	});
});

describe('The tree of candidates', () => {
	it('hangs each below what it was built on and says of failures what they are', () => {
		expect(logTree({ nodes, baselineScore: 0.81, bestNodeId: 1, external: false, style: plain })).toBe(
			[
				'main  0.81',
				'├─ 0     crashed EXIT                   $0.25   generic_exp_0',
				'└─ 1 *   0.86 (confirmed)               $0.00   generic_exp_1',
				'   ├─ 2  invalid (evaluation rejected)  cost ?  generic_exp_2',
				'   └─ 3  0.8                            $0.00   generic_exp_3',
				'* the best: valid, scored and not refuted',
				'',
			].join('\n'),
		);
	});
});

describe('The exit code of a campaign that returned', () => {
	const ended = (
		stoppedReason: SolutionResult['metadata']['stoppedReason'],
		fields: Partial<SolutionResult> = {},
	): SolutionResult => ({
		...solution,
		...fields,
		metadata: { ...solution.metadata, stoppedReason },
	});

	it.each([
		[ended('max_iterations'), null, 0],
		[ended('goal_achieved'), null, 0],
		[ended('budget_exhausted'), null, 0],
		[ended('stalled', { improved: false }), null, 0],
		[ended('max_iterations', { best: null }), null, 1],
		[ended('max_iterations', { best: { ...best, score: null } }), null, 1],
		[ended('infrastructure'), null, 3],
		[ended('interrupted'), 130, 130],
		[ended('interrupted'), 143, 143],
		[ended('interrupted'), null, 130],
		[ended('max_iterations'), 130, 0],
	])('%#: follows the table of the contract', (result, signalled, code) => {
		expect(exitCodeOfSolution(result, signalled)).toBe(code);
	});
});
