import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSandbox } from '@kapso-evolve/process';
import { git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { evaluateDocumentSchema } from '../src/documents/evaluate-document.ts';
import { evolveDocumentSchema } from '../src/documents/evolve-document.ts';
import { logDocumentSchema } from '../src/documents/log-document.ts';
import { showDocumentSchema } from '../src/documents/show-document.ts';
import { statusDocumentSchema } from '../src/documents/status-document.ts';
import { verifyDocumentSchema } from '../src/documents/verify-document.ts';
import { errorDocumentSchema } from '../src/report-error.ts';
import { runBinary, seen, startBinary } from './binary.ts';
import { addOne, type NumberProblem, numberProblem } from './number-problem.ts';
import { runHere } from './run-here.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const level =
	sandbox.isolation === 'os'
		? { evaluation_level: 'sealed', isolation: 'os' }
		: { evaluation_level: 'unsealed', isolation: 'none' };

/** Campaigns run through the built program; what only reads is asked in this process, which takes the same way. */
const readers = ['status', 'log', 'show', 'verify'];
const run = (problem: NumberProblem, ...args: string[]) =>
	(readers.includes(args[0]!) ? runHere : runBinary)(args, { folder: problem.folder });
async function document(problem: NumberProblem, ...args: string[]) {
	const { code, stdout, stderr } = await run(problem, ...args, '--json');
	try {
		return { code, stderr, value: JSON.parse(stdout) };
	} catch {
		throw new Error(`no document from ${args.join(' ')} (exit ${code}):\n${stdout}\n${stderr}`);
	}
}

describe('A campaign through the program', () => {
	it('ends in one document; status, log, show and verify agree with it and with git; the seed is untouched', async () => {
		await using problem = await numberProblem();
		const before = await readFiles(problem.seed);
		const flags = await problem.flags(addOne, '--iterations', '3', '--evaluator', 'observe.mjs#observe');
		const ended = await document(problem, 'evolve', ...flags);
		expect(ended.code, ended.stderr).toBe(0);
		const evolve = evolveDocumentSchema.parse(ended.value);
		expect(evolve).toMatchObject({
			output: problem.output,
			resumed: false,
			iterations: 3,
			stopped_reason: 'max_iterations',
			baseline_score: 1,
			improved: true,
			best: { node_id: 2, branch: 'generic_exp_2', score: 4, score_source: 'engine', confirmed: true, ...level },
			delivery: { ref: 'generic_exp_2', checked_out: true, reason: null },
			candidates: { total: 3, scored: 3, invalid: 0, failed: 0 },
			external_metrics: { holdout_number: 1004 },
			cost_usd: 0.75,
		});
		expect(await readFiles(problem.seed)).toEqual(before);
		expect(ended.stderr).toMatch(/\[ *\d+\.\d s\] candidate 2: 4; best 4 \(candidate 2\); \$0\.75\n/);

		const output = problem.output;
		const status = statusDocumentSchema.parse((await document(problem, 'status', output)).value);
		const log = logDocumentSchema.parse((await document(problem, 'log', output)).value);
		const show = showDocumentSchema.parse((await document(problem, 'show', output, '2')).value);
		const verify = verifyDocumentSchema.parse(
			(await document(problem, 'verify', output, '--head', evolve.ledger_head)).value,
		);
		const { external_metrics: _, external_primary_metric: __, ...shared } = evolve;
		expect(status).toMatchObject({ ...shared, elapsed_seconds: expect.any(Number), status: 'running', lock: null });
		expect(log.nodes.map((node) => [node.branch, node.commit, node.score])).toEqual(
			await Promise.all(
				[2, 3, 4].map(async (score, id) => [
					`generic_exp_${id}`,
					await git(output, 'rev-parse', `generic_exp_${id}`),
					score,
				]),
			),
		);
		expect(evolve.best?.commit).toBe(await git(output, 'rev-parse', 'HEAD'));
		expect(show.node).toMatchObject({ node_id: 2, parent_node_id: 1, commit: evolve.best?.commit, score: 4 });
		expect(show.diff).toContain('+4');
		expect(verify).toMatchObject({ ok: true, anchored: true, candidates: 3, problems: [] });

		for (const args of [
			['status', output],
			['log', output],
			['show', output, '2'],
		]) {
			for (const more of [[], ['--json']]) {
				expect((await run(problem, ...args, ...more)).stdout).not.toMatch(/holdout_number|100[234]/);
				expect((await run(problem, ...args, ...more, '--external')).stdout).toContain('1004');
			}
		}
		expect((await run(problem, 'log', output)).stdout).toMatch(
			/^main {2}1\n└─ 0 .*\n {3}└─ 1 .*\n {6}└─ 2 \* .*4 \(confirmed\)/,
		);
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

	it('without a valid candidate is exit code 1', async () => {
		await using problem = await numberProblem();
		const flags = await problem.flags(
			`write('value.txt', 'crash'); report({ summary: 'worse' });`,
			'--iterations',
			'1',
		);
		const ended = await document(problem, 'evolve', ...flags);
		expect(ended).toMatchObject({
			code: 1,
			value: { best: null, improved: false, candidates: { total: 1, scored: 0, invalid: 0, failed: 1 } },
		});
	});

	it('whose winner cannot be checked out over the user’s file prints the whole result and is exit code 1', async () => {
		await using problem = await numberProblem();
		expect((await run(problem, 'evolve', ...(await problem.flags(addOne, '--iterations', '1')))).code).toBe(0);
		await writeFiles(problem.output, { 'value.txt': 'mine\n' });
		const ended = await document(problem, 'resume', problem.output, '--iterations', '1');
		expect(ended.code, ended.stderr).toBe(1);
		expect(evolveDocumentSchema.parse(ended.value).delivery.checked_out).toBe(false);
		expect(ended.stderr).toContain('error DELIVERY_REFUSED');
		expect(await readFile(join(problem.output, 'value.txt'), 'utf8')).toBe('mine\n');
	});

	it('whose evaluator fails under raise is exit code 3, with everything saved', async () => {
		await using problem = await numberProblem();
		const more = ['--iterations', '1', '--evaluator', 'observe.mjs#fail', '--evaluator-failure-policy', 'raise'];
		const ended = await document(problem, 'evolve', ...(await problem.flags(addOne, ...more)));
		expect(ended).toMatchObject({ code: 3, value: { error: { message: expect.stringContaining('no measurement') } } });
		expect(await document(problem, 'status', problem.output)).toMatchObject({
			code: 0,
			value: { candidates: { total: 0 } },
		});
	});

	it('is held against a second process (4), stops at Ctrl-C with everything saved (130), and goes on from there', async () => {
		await using problem = await numberProblem();
		const slow = `if (process.env.SLOW !== 'no') { write('value.txt', '2'); setTimeout(() => report({ summary: 'slow' }), 60_000); }`;
		const flags = await problem.flags(slow, '--iterations', '1');
		const first = startBinary(['evolve', ...flags, '--json'], { folder: problem.folder });
		await seen(first.child, 'candidate 0: agent');

		const second = await document(problem, 'resume', problem.output);
		expect(second).toMatchObject({
			code: 4,
			value: { error: { message: expect.stringContaining(String(first.child.pid)) } },
		});
		const status = await document(problem, 'status', problem.output);
		expect(status).toMatchObject({ code: 0, value: { lock: { pid: first.child.pid } } });

		const asked = performance.now();
		first.child.kill('SIGINT');
		const ended = await first.ended;
		expect(performance.now() - asked).toBeLessThan(5_000);
		expect(ended.code, ended.stderr).toBe(130);
		expect(evolveDocumentSchema.parse(JSON.parse(ended.stdout))).toMatchObject({ stopped_reason: 'interrupted' });

		await problem.flags(addOne);
		const resumed = await document(problem, 'resume', problem.output);
		expect(resumed.code, resumed.stderr).toBe(0);
		expect(resumed.value).toMatchObject({ candidates: { total: 1, scored: 1 }, best: { score: 2 } });
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
