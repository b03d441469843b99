import { describe, expect, it } from 'vitest';
import { doubling, hasSandbox, openDesk, scoreFiles, skipReason, squares, squaring } from './fixtures.ts';

describe.skipIf(!hasSandbox)(`a sealed evaluation${skipReason}`, () => {
	it('scores a candidate by the caller’s bytes and records what ran and what is not proven [I5, D24, T091]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);

		const [better, worse] = [
			await scoreFiles(desk, { suite, candidate: squaring }),
			await scoreFiles(desk, { suite, candidate: doubling }),
		];

		expect(better).toMatchObject({ outcome: 'scored', code: null, error: null, score: 1, scores: [1], cases: 3 });
		expect(better).toMatchObject({ level: 'sealed', isolation: 'os', candidateIsolated: true, metrics: { right: 3 } });
		expect(better).toMatchObject({ suiteDigest: suite.digest, dataDigest: null });
		expect(better.notProven).toEqual(expect.arrayContaining(['visible-suite', 'single-measurement']));
		expect(better.phases.map(({ phase, argv, exitCode }) => ({ phase, argv, exitCode }))).toEqual([
			{ phase: 'run', argv: ['/kapso/bin/node', 'driver.mjs'], exitCode: 0 },
			{ phase: 'score', argv: ['/kapso/bin/node', 'score.mjs'], exitCode: 0 },
		]);
		expect(better.phases[0]!.program.sha256).toMatch(/^[0-9a-f]{64}$/);
		expect(worse.score).toBeCloseTo(1 / 3);
		console.log(
			better.durationMs,
			worse.durationMs,
			better.phases.map((p) => p.wallMs),
		);
	});
});
