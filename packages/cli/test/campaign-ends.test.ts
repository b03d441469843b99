import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSandbox } from '@kapso-evolve/process';
import { writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { evolveDocumentSchema } from '../src/documents/evolve-document.ts';
import { seen, startBinary } from './binary.ts';
import { document, run } from './document.ts';
import { addOne, numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const _level =
	sandbox.isolation === 'os'
		? { evaluation_level: 'sealed', isolation: 'os' }
		: { evaluation_level: 'unsealed', isolation: 'none' };

describe('A campaign through the program', () => {
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

	it('that was killed is held by nobody: status says so, and a new start in its folder names resume', async () => {
		await using problem = await numberProblem();
		const flags = await problem.flags(`setTimeout(() => report({ summary: 'slow' }), 60_000);`, '--iterations', '1');
		const first = startBinary(['evolve', ...flags], { folder: problem.folder });
		await seen(first.child, 'candidate 0: agent');
		first.child.kill('SIGKILL');
		await first.ended;
		expect((await document(problem, 'status', problem.output)).value).toMatchObject({ lock: null });
		expect((await run(problem, 'status', problem.output)).stdout).toContain('resumable, nobody is working on it');
		const again = await run(problem, 'evolve', ...flags);
		expect(again.code).toBe(2);
		expect(again.stderr).toContain(`kapso-evolve resume ${JSON.stringify(problem.output)}`);
		expect(again.stderr).not.toContain('held by');
	});

	it('that was interrupted does not call its scored candidates worthless, and says how to go on', async () => {
		await using problem = await numberProblem();
		const slow = `if (process.env.KAPSO_REPORT_PATH.split('/').at(-2).endsWith('_0')) { write('value.txt', '2'); report({ summary: 'quick' }); } else setTimeout(() => {}, 60_000);`;
		const first = startBinary(['evolve', ...(await problem.flags(slow, '--iterations', '2'))], {
			folder: problem.folder,
		});
		await seen(first.child, 'candidate 1: agent');
		first.child.kill('SIGINT');
		const { code, stdout } = await first.ended;
		expect(code).toBe(130);
		expect(stdout).toContain('winner      none yet: a resume goes on');
		expect(stdout).toContain('1: 1 scored');
		expect(stdout).not.toMatch(/^score/m);
		expect(stdout).toMatch(/^Next: kapso-evolve resume /m);
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
});
