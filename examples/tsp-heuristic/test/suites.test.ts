import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { evaluationFileSchema, evaluationResultSchema } from '@kapso-evolve/contracts';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const example = join(import.meta.dirname, '..');

/** The two phases by hand: what the driver wrote may be replaced before it is scored. */
async function evaluate(suite: 'evaluation' | 'hidden', forge?: (tours: Record<string, unknown>) => unknown) {
	await using outputs = await temporaryFolder();
	const cwd = join(example, suite);
	const start = promisify(execFile);
	const tours = join(outputs.path, 'tours.json');
	const result = join(outputs.path, 'result.json');
	const variables = { KAPSO_CANDIDATE_DIR: join(example, 'repository'), KAPSO_OUTPUTS_DIR: outputs.path };
	await start(process.execPath, ['driver.mjs'], { cwd, env: variables });
	const written = await readFile(tours, 'utf8');
	if (forge) {
		const forged = forge(JSON.parse(written));
		await writeFile(tours, typeof forged === 'string' ? forged : JSON.stringify(forged));
	}
	await start(process.execPath, ['score.mjs'], {
		cwd,
		env: { KAPSO_OUTPUTS_DIR: outputs.path, KAPSO_RESULT_PATH: result },
	});
	return { written, result: evaluationResultSchema.parse(JSON.parse(await readFile(result, 'utf8'))) };
}

describe.each(['evaluation', 'hidden'] as const)('the %s suite', (suite) => {
	it('scores the initial repository, the same in every run', async () => {
		const file = evaluationFileSchema.parse(
			parse(await readFile(join(example, suite, 'kapso.evaluation.yaml'), 'utf8')),
		);
		const [first, second] = await Promise.all([evaluate(suite), evaluate(suite)]);
		expect(first).toEqual(second);
		if (!first.result.valid) throw new Error(first.result.reason);
		expect(first.result.cases).toBe(file.cases);
		expect(first.result.score).toBeGreaterThan(0.9);
		expect(first.result.score).toBeLessThan(0.95);
		expect(Math.max(...(first.result.case_scores ?? []))).toBeLessThanOrEqual(1);
	});
});

it('keeps the hidden instances apart from those that guide', async () => {
	const scorers = ['evaluation', 'hidden'].map((suite) => readFile(join(example, suite, 'score.mjs'), 'utf8'));
	const drivers = ['evaluation', 'hidden'].map((suite) => readFile(join(example, suite, 'driver.mjs'), 'utf8'));
	const [guiding, hidden] = (await Promise.all(scorers)) as [string, string];
	expect(hidden).toBe(guiding);
	const [guidingDriver, hiddenDriver] = (await Promise.all(drivers)) as [string, string];
	expect(hiddenDriver).toBe(guidingDriver);
	const cities = async (path: string) => JSON.parse(await readFile(join(example, path), 'utf8')).cities;
	expect(await cities('hidden/instances/hidden-01.json')).not.toEqual(
		await cities('evaluation/instances/train-01.json'),
	);
});

describe('the scorer gives no score to', () => {
	const first = (change: (tour: number[]) => unknown) => (tours: Record<string, unknown>) => ({
		...tours,
		'train-01': change(tours['train-01'] as number[]),
	});
	it.each<[string, (tours: Record<string, unknown>) => unknown, RegExp]>([
		['a tour that leaves a city out', first((tour) => tour.slice(1)), /entries for/],
		['a tour that visits a city twice', first((tour) => [tour[1], ...tour.slice(1)]), /visited twice/],
		['a city that is not there', first((tour) => [tour.length, ...tour.slice(1)]), /is not a city/],
		['a fraction', first((tour) => [0.5, ...tour.slice(1)]), /0\.5 is not a city/],
		['a number that is not finite', first((tour) => [Number.NaN, ...tour.slice(1)]), /null is not a city/],
		['a city given as text', first((tour) => tour.map(String)), /is not a city/],
		['an object that looks like a tour', first((tour) => ({ ...tour, length: tour.length })), /not a list/],
		['a missing instance', ({ 'train-01': _, ...rest }) => rest, /train-01: there is no tour/],
		['an unknown instance', (tours) => ({ ...tours, easy: [0] }), /unknown instances: easy/],
		['a list of tours', (tours) => Object.values(tours), /not an object/],
		['text that is not JSON', () => '{"train-01": [', /cannot be read/],
	])('%s', async (_, forge, reason) => {
		const { result } = await evaluate('evaluation', forge);
		expect(result).toEqual({ schema_version: 1, valid: false, reason: expect.stringMatching(reason) });
	});
});

it('fails the run phase when the candidate throws', async () => {
	await using candidate = await temporaryFolder();
	await cp(join(example, 'repository'), candidate.path, { recursive: true });
	await writeFile(join(candidate.path, 'solve.js'), 'export function solve() { throw new Error("no tour"); }\n');
	const run = promisify(execFile)(process.execPath, ['driver.mjs'], {
		cwd: join(example, 'evaluation'),
		env: { KAPSO_CANDIDATE_DIR: candidate.path, KAPSO_OUTPUTS_DIR: candidate.path },
	});
	await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no tour') });
});
