import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSandbox } from '@kapso-evolve/process';
import { writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { evaluateFolder, examineMachine, examineSuite } from '../src/index.ts';
import { numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const environment = { PATH: process.env.PATH };
const scorer = (body: string) => `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const path = process.env.KAPSO_OUTPUTS_DIR + '/value.txt';
const answer = (result) => writeFileSync(process.env.KAPSO_RESULT_PATH, JSON.stringify({ schema_version: 1, ...result }));
${body}
`;

/** Good below the answer 10, and strict about what an answer is. */
const strict = scorer(`const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
if (!/^\\d$/.test(text) || text === '0') answer({ valid: false, reason: 'not a digit from 1 to 9' });
else answer({ valid: true, score: Number(text) });`);

describe.skipIf(sandbox.isolation === 'none')('the trial of a suite (needs bubblewrap)', () => {
	const examine = async (score: string, value = '5') => {
		const problem = await numberProblem(value);
		await using _ = problem;
		await writeFiles(problem.suite, { 'score.mjs': score });
		return await examineSuite({ folder: problem.seed, evalDir: problem.suite, environment });
	};

	it('gives a sealed suite that checks its inputs the best grade [E37, T053]', async () => {
		const report = await examine(strict);
		expect(report).toMatchObject({
			grade: 'A',
			level: 'sealed',
			baselineScore: 5,
			noiseFloor: 0,
			falsePromotionRate: 0.5,
		});
		expect(report.findings.filter((finding) => finding.severity !== 'note')).toEqual([]);
		expect(report.trials.every((trial) => trial.passed)).toBe(true);
		expect(report.trials.map((trial) => trial.name)).toEqual(
			expect.arrayContaining([
				'null-candidate',
				'nan',
				'infinite',
				'huge',
				'string',
				'silent',
				'slow',
				'chatty',
				'crashing',
				'forking',
				'forger',
			]),
		);
	});

	it('finds a suite that an empty candidate, a forged number or nothing at all can win [E37, E43, T053]', async () => {
		const report = await examine(
			scorer(
				"answer({ valid: true, score: existsSync(path) ? Math.min(1e300, parseFloat(readFileSync(path, 'utf8')) || 9) : 9 });",
			),
		);
		expect(report.grade).toBe('F');
		const codes = report.findings.map((finding) => finding.code);
		expect(codes).toEqual(
			expect.arrayContaining(['WON_BY_SILENT', 'WON_BY_HUGE', 'SCORED_STRING', 'SCORED_EMPTY', 'SCORED_NAN']),
		);
		for (const { what, advice } of report.findings) expect([what, advice]).not.toContain('');
	});

	it('finds a suite that gives everybody the same score [E37, T053]', async () => {
		const report = await examine(scorer('answer({ valid: true, score: 7 });'));
		expect(report).toMatchObject({ grade: 'F', noiseFloor: 0, baselineScore: 7 });
		expect(report.findings.map((finding) => finding.code)).toEqual(
			expect.arrayContaining(['WON_BY_SILENT', 'WON_BY_FORGER', 'SCORED_NAN', 'SCORED_EMPTY']),
		);
	});

	it('finds noise that is not declared, and a scorer that crashes where it should answer [T108]', async () => {
		const noisy = await examine(
			scorer(
				"const text = readFileSync(path, 'utf8').trim(); if (!/^\\d$/.test(text) || text === '0') throw new Error('bad'); answer({ valid: true, score: Number(text) + Math.random() });",
			),
		);
		expect(noisy.noiseFloor).toBeGreaterThan(0);
		expect(noisy.grade).toBe('B');
		expect(noisy.findings.map((finding) => finding.code)).toEqual(
			expect.arrayContaining(['NOISE_UNDECLARED', 'SCORER_CRASHES']),
		);
	});

	it.skipIf(process.env.KAPSO_NIGHTLY !== '1')(
		'gives a noise floor that fifty further pairs of the same code exceed no more often than it says (nightly) [T108, E37]',
		async () => {
			const noisy = strict.replace('Number(text)', 'Number(text) + Math.random() / 10');
			await using problem = await numberProblem('5');
			await writeFiles(problem.suite, { 'score.mjs': noisy });
			const candidate = { folder: problem.seed, evalDir: problem.suite, environment };
			const first = await examineSuite({ ...candidate, pairs: 50 });
			let promoted = 0;
			for (let pair = 0; pair < 50; pair++) {
				const [one, other] = [await evaluateFolder(candidate), await evaluateFolder(candidate)];
				if (Math.abs(one.score! - other.score!) > first.noiseFloor!) promoted += 1;
			}
			// A mean of one in fifty-one; five or more of fifty would happen once in some two hundred runs.
			expect(promoted).toBeLessThan(5);
			expect(first.falsePromotionRate).toBeCloseTo(1 / 51);
		},
		300_000,
	);

	it('stops at a suite that cannot score the unchanged repository', async () => {
		const report = await examine(strict, 'crash');
		expect(report).toMatchObject({
			grade: 'F',
			baselineScore: null,
			findings: [{ code: 'BASELINE_NOT_SCORED', severity: 'blocking' }],
		});
		expect(report.trials).toHaveLength(1);
	});

	it('says of a suite that loads the candidate that its scorer can be reached', async () => {
		await using problem = await numberProblem('5');
		await writeFile(join(problem.suite, 'kapso.evaluation.yaml'), 'version: 1\nscore: {command: [node, score.mjs]}\n');
		await writeFile(
			join(problem.suite, 'score.mjs'),
			strict.replace("process.env.KAPSO_OUTPUTS_DIR + '/value.txt'", "process.env.KAPSO_CANDIDATE_DIR + '/value.txt'"),
		);
		const report = await examineSuite({ folder: problem.seed, evalDir: problem.suite, environment });
		expect(report).toMatchObject({ grade: 'C', level: 'suite-sealed', baselineScore: 5 });
		expect(report.findings.map((finding) => finding.code)).toContain('NOT_SEALED');
	});
});

it('says what the machine offers, and names what is missing', async () => {
	const report = await examineMachine({ environment: { PATH: '/nonexistent' } });
	expect(report.checks.map(({ name, status }) => [name, status])).toEqual([
		['node', 'ok'],
		['git', 'fail'],
		['sandbox', 'warn'],
	]);
});
