import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSandbox } from '@kapso-evolve/process';
import { git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { evaluateDocumentSchema } from '../src/documents/evaluate-document.ts';
import { evolveDocumentSchema } from '../src/documents/evolve-document.ts';
import { logDocumentSchema } from '../src/documents/log-document.ts';
import { replayDocumentSchema } from '../src/documents/replay-document.ts';
import { showDocumentSchema } from '../src/documents/show-document.ts';
import { statusDocumentSchema } from '../src/documents/status-document.ts';
import { verifyDocumentSchema } from '../src/documents/verify-document.ts';
import { errorDocumentSchema } from '../src/report-error.ts';
import { document, run } from './document.ts';
import { addOne, numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const level =
	sandbox.isolation === 'os'
		? { evaluation_level: 'sealed', isolation: 'os' }
		: { evaluation_level: 'unsealed', isolation: 'none' };

describe('A campaign through the program', () => {
	it('ends in one document; status, log, show and verify agree with it and with git; the seed is untouched', async () => {
		await using problem = await numberProblem();
		const before = await readFiles(problem.seed);
		const flags = await problem.flags(addOne, '--iterations', '2', '--evaluator', 'observe.mjs#observe');
		const ended = await document(problem, 'evolve', ...flags);
		expect(ended.code, ended.stderr).toBe(0);
		const evolve = evolveDocumentSchema.parse(ended.value);
		expect(evolve).toMatchObject({
			output: problem.output,
			resumed: false,
			iterations: 2,
			stopped_reason: 'max_iterations',
			baseline_score: 1,
			improved: true,
			best: { node_id: 1, branch: 'generic_exp_1', score: 3, score_source: 'engine', confirmed: true, ...level },
			delivery: { ref: 'generic_exp_1', checked_out: true, reason: null },
			candidates: { total: 2, scored: 2, invalid: 0, failed: 0 },
			external_metrics: { holdout_number: 1003 },
			cost_usd: 0.5,
		});
		expect(await readFiles(problem.seed)).toEqual(before);
		expect(ended.stderr).toMatch(/\[ *\d+\.\d s\] candidate 1: 3; best 3 \(candidate 1\); \$0\.50\n/);

		const output = problem.output;
		const status = statusDocumentSchema.parse((await document(problem, 'status', output)).value);
		const log = logDocumentSchema.parse((await document(problem, 'log', output)).value);
		const show = showDocumentSchema.parse((await document(problem, 'show', output, '1')).value);
		const verify = verifyDocumentSchema.parse(
			(await document(problem, 'verify', output, '--head', evolve.ledger_head)).value,
		);
		expect(replayDocumentSchema.parse((await document(problem, 'replay', output)).value)).toMatchObject({
			recorded_policy: 'best',
			decisions: 2,
			identical: true,
		});
		const elsewhere = await document(problem, 'replay', output, '--parent-policy', 'baseline');
		expect(elsewhere.code).toBe(0);
		expect(replayDocumentSchema.parse(elsewhere.value).divergence).toMatchObject({
			node_id: 1,
			replayed: { branch: 'main' },
		});
		const { external_metrics: _, external_primary_metric: __, ...shared } = evolve;
		expect(status).toMatchObject({ ...shared, elapsed_seconds: expect.any(Number), status: 'running', lock: null });
		expect(log.nodes.map((node) => [node.branch, node.commit, node.score])).toEqual(
			await Promise.all(
				[2, 3].map(async (score, id) => [
					`generic_exp_${id}`,
					await git(output, 'rev-parse', `generic_exp_${id}`),
					score,
				]),
			),
		);
		expect(evolve.best?.commit).toBe(await git(output, 'rev-parse', 'HEAD'));
		expect(show.node).toMatchObject({ node_id: 1, parent_node_id: 0, commit: evolve.best?.commit, score: 3 });
		expect(show.diff).toContain('+3');
		expect(verify).toMatchObject({ ok: true, anchored: true, candidates: 2, problems: [] });

		for (const args of [
			['status', output],
			['log', output],
			['show', output, '1'],
		]) {
			for (const more of [[], ['--json']]) {
				expect((await run(problem, ...args, ...more)).stdout).not.toMatch(/holdout_number|100[23]/);
				expect((await run(problem, ...args, ...more, '--external')).stdout).toContain('1003');
			}
		}
		expect((await run(problem, 'log', output)).stdout).toMatch(/^main {2}1\n└─ 0 .*\n {3}└─ 1 \* .*3 \(confirmed\)/);
	});

	it('is continued by resume, refused where anything differs, and a false claim is found by verify', async () => {
		await using problem = await numberProblem();
		const flags = await problem.flags(addOne, '--iterations', '1');
		expect((await run(problem, 'evolve', ...flags)).code).toBe(0);

		const again = await document(problem, 'evolve', ...flags);
		expect(again.code).toBe(2);
		expect(errorDocumentSchema.parse(again.value).error.hint).toContain('resume');
		const otherGoal = flags.map((flag) => (flag === 'a larger number' ? 'a smaller number' : flag));
		expect(await document(problem, 'evolve', ...otherGoal, '--resume')).toMatchObject({
			code: 2,
			value: { error: { message: expect.stringContaining('goal') } },
		});

		const resumed = await document(problem, 'resume', problem.output, '--iterations', '1');
		expect(resumed.code, resumed.stderr).toBe(0);
		expect(resumed.value).toMatchObject({ resumed: true, iterations: 1, cumulative_iterations: 2, best: { score: 3 } });

		await writeFiles(join(problem.folder, 'suite'), { 'score.mjs': '// another scorer\n' });
		expect(await document(problem, 'resume', problem.output)).toMatchObject({ code: 2 });

		const ledger = join(problem.output, '.kapso', 'ledger.jsonl');
		await writeFile(ledger, (await readFile(ledger, 'utf8')).replace('"score":3', '"score":9'));
		const verified = await document(problem, 'verify', problem.output);
		expect(verified).toMatchObject({ code: 1, value: { ok: false } });
		expect((await run(problem, 'verify', problem.output)).stdout).toContain('false claim');
	});

	it('scores a folder exactly so with evaluate', async () => {
		await using problem = await numberProblem();
		const scored = await document(problem, 'evaluate', 'seed', '--eval-dir', 'suite');
		expect(scored.code, scored.stderr).toBe(0);
		expect(evaluateDocumentSchema.parse(scored.value)).toMatchObject({
			outcome: 'scored',
			score: 1,
			isolation: level.isolation,
		});
		await writeFiles(problem.seed, { 'value.txt': 'crash' });
		expect(await document(problem, 'evaluate', 'seed', '--eval-dir', 'suite')).toMatchObject({
			code: 1,
			value: { outcome: 'crashed', score: null },
		});
	});
});
