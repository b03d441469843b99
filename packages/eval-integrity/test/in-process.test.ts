import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { doubling, type Files, hasSandbox, openDesk, scoreFiles, skipReason, squares, squaring } from './fixtures.ts';

/** A suite that imports the candidate, as most suites do. */
const importing: Files = {
	'kapso.evaluation.yaml': 'version: 1\nscore: {command: [node, score.mjs], timeout_seconds: 20}\n',
	'score.mjs': `import { writeFileSync } from 'node:fs';
const { solve } = await import('file://' + process.env.KAPSO_CANDIDATE_DIR + '/solve.js');
const score = [2, 3, 4].filter((n) => solve(n) === n * n).length / 3;
writeFileSync(process.env.KAPSO_RESULT_PATH, JSON.stringify({ schema_version: 1, valid: true, score }));
`,
};
const forging: Files = {
	'package.json': '{"type":"module"}',
	'solve.js': `const say = JSON.stringify; JSON.stringify = (value) => say({ ...value, score: 100 }); export const solve = (n) => n;`,
};

describe.skipIf(!hasSandbox)(`a suite that loads the candidate${skipReason}`, () => {
	it('is scored by the caller’s bytes, and the record says what a candidate in the scorer’s process could do [T038, E48]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(importing);

		const honest = await scoreFiles(desk, { suite, candidate: squaring });
		const forged = await scoreFiles(desk, { suite, candidate: forging });

		expect(honest).toMatchObject({
			error: null,
			score: 1,
			level: 'suite-sealed',
			isolation: 'os',
			candidateIsolated: false,
		});
		expect(honest.notProven).toContain('candidate-in-scorer-process');
		expect(forged).toMatchObject({ score: 100, candidateIsolated: false, notProven: honest.notProven });
	});

	it.each([
		[
			'changes the suite while it runs [T078]',
			`import { writeFileSync } from 'node:fs'; writeFileSync('score.mjs', '');`,
			'SCORER_CRASH',
		],
		['ends the scorer with 0 [T040]', 'process.exit(0);', 'RESULT_MISSING'],
	])('gives no score to a candidate that %s', async (_, code, expected) => {
		await using desk = await openDesk();
		const candidate = {
			'package.json': '{"type":"module"}',
			'solve.js': `${code}\nexport const solve = (n) => n * n;`,
		};

		expect(await scoreFiles(desk, { suite: await desk.suite(importing), candidate })).toMatchObject({
			outcome: 'invalid',
			code: expected,
		});
	});
});

describe('without a sandbox', () => {
	it('the same phases run as plain processes on copies, and the record says that nothing was isolated', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const before = await readFiles(suite.root);

		const record = await scoreFiles(desk, { suite, candidate: doubling, level: 'unsealed' });

		expect(record.error).toBeNull();
		expect(record.score).toBeCloseTo(1 / 3);
		expect(record).toMatchObject({ level: 'unsealed', isolation: 'none', candidateIsolated: false });
		expect(record.notProven).toContain('no-isolation');
		expect(record.phases[0]!.argv).toEqual([process.execPath, 'driver.mjs']);
		expect(await readFiles(suite.root)).toEqual(before);
	});

	it('a candidate that rewrites its own folder or the inputs changes nothing of the caller’s', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const vandal = {
			'package.json': '{"type":"module"}',
			'solve.js': `import { writeFileSync, rmSync } from 'node:fs';
writeFileSync('cases.json', '[]'); rmSync(process.env.KAPSO_CANDIDATE_DIR, { recursive: true });
export const solve = (n) => n * n;`,
		};

		const record = await scoreFiles(desk, {
			suite,
			candidate: vandal,
			level: 'unsealed',
			candidateFolder: await desk.write('mine', vandal),
		});

		expect(record.outcome).toBe('scored');
		expect(await readFile(join(desk.at('mine'), 'solve.js'), 'utf8')).toBe(vandal['solve.js']);
	});

	it('a suite that was rewritten while it scored gives no score [T078]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(importing);
		const candidate = {
			'package.json': '{"type":"module"}',
			'solve.js': `import { writeFileSync } from 'node:fs';
writeFileSync('score.mjs', '// gone'); export const solve = (n) => n * n;`,
		};

		const record = await scoreFiles(desk, { suite, candidate, level: 'unsealed' });

		expect(record).toMatchObject({ outcome: 'invalid', code: 'SUITE_COPY_CHANGED', score: null });
		expect(record.notProven).toContain('candidate-in-scorer-process');
	});

	it('an outputs folder that was exchanged for a link is no output [T133]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const candidate = {
			'package.json': '{"type":"module"}',
			'solve.js': `import { rmSync, symlinkSync } from 'node:fs';
process.on('exit', () => { rmSync(process.env.KAPSO_OUTPUTS_DIR, { recursive: true }); symlinkSync('/etc', process.env.KAPSO_OUTPUTS_DIR); });
export const solve = (n) => n * n;`,
		};

		expect(await scoreFiles(desk, { suite, candidate, level: 'unsealed' })).toMatchObject({
			outcome: 'invalid',
			code: 'OUTPUT_KIND',
		});
	});

	it('a process that the candidate left behind is gone before the scorer begins [T084]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const mark = desk.at('late');
		const candidate = {
			'package.json': '{"type":"module"}',
			'solve.js': `import { spawn } from 'node:child_process';
spawn('setsid', ['sh', '-c', 'sleep 0.5; touch "${mark}"'], { detached: true, stdio: 'ignore' }).unref();
export const solve = (n) => n * n;`,
		};

		const record = await scoreFiles(desk, { suite, candidate, level: 'unsealed' });
		await new Promise((resolve) => setTimeout(resolve, 600));

		expect(record.score).toBe(1);
		await expect(readFile(mark)).rejects.toMatchObject({ code: 'ENOENT' });
	});
});
