import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '@kapso-evolve/engine';
import { expect, it } from 'vitest';
import { findBundledProblem } from '../src/bundled-problem.ts';
import { stopBeforeTimeIsUp } from '../src/demo-time.ts';

it('finds its problem: where candidates start, what guides them and what only watches', async () => {
	const problem = await findBundledProblem();
	await Promise.all([
		access(join(problem.repository, 'solve.js')),
		access(join(problem.evaluation, 'kapso.evaluation.yaml')),
		access(join(problem.hidden, 'kapso.evaluation.yaml')),
	]);
});

it('stops a demo before a candidate that would not be ready in time, and says so', () => {
	const stop = stopBeforeTimeIsUp(45);
	const after = (made: number, seconds: number) =>
		stop({ state: { nodes: new Array(made).fill(null) }, elapsedMs: seconds * 1000 } as unknown as Progress);
	expect(after(0, 44)).toBeNull();
	expect(after(1, 20)).toBeNull();
	expect(after(2, 30)).toBeNull();
	expect(after(2, 31)).toEqual({
		reason: 'budget_exhausted',
		detail: 'a demo ends itself within 45 s: 31 s are spent, and a candidate takes about 16 s here',
	});
});
