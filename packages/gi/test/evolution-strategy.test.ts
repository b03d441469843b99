import { seededRandom } from '@kapso-evolve/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEvolutionStrategy } from '../src/evolution-strategy.ts';

const sphere = (x: readonly number[]): number => x.reduce((sum, value) => sum + value ** 2, 0);
const ellipsoid = (x: readonly number[]): number =>
	x.reduce((sum, value, k) => sum + 10 ** ((4 * k) / (x.length - 1)) * value ** 2, 0);
const rosenbrock = (x: readonly number[]): number =>
	x.slice(1).reduce((sum, next, k) => sum + 100 * (next - x[k]! ** 2) ** 2 + (1 - x[k]!) ** 2, 0);

/** Evaluations until `target` is reached from `start` in every coordinate; infinite when `most` do not suffice. */
function evaluations(
	goal: (x: readonly number[]) => number,
	o: { dimension: number; start: number; sigma: number; target: number; most: number; seed: number },
): number {
	const strategy = createEvolutionStrategy({ ...o, random: seededRandom(o.seed) });
	for (let count = 0; count < o.most; ) {
		const points = Array.from({ length: strategy.population }, () => strategy.ask());
		const costs = new Map(points.map((point) => [point, goal(point.map((value) => value + o.start))]));
		count += points.length;
		points.sort((a, b) => costs.get(a)! - costs.get(b)!);
		if (costs.get(points[0]!)! <= o.target) return count;
		strategy.tell(points);
	}
	return Number.POSITIVE_INFINITY;
}

describe('for every seed the strategy reaches the optimum within the stated evaluations', () => {
	it.each([
		['the sphere in 2 dimensions', sphere, { dimension: 2, start: 3, sigma: 2, target: 1e-8, most: 500 }],
		['the sphere in 8 dimensions', sphere, { dimension: 8, start: 3, sigma: 2, target: 1e-8, most: 1_500 }],
		['the sphere in 20 dimensions', sphere, { dimension: 20, start: 3, sigma: 2, target: 1e-8, most: 3_200 }],
		['scales 1 : 10 000 in 8 dimensions', ellipsoid, { dimension: 8, start: 3, sigma: 2, target: 1e-8, most: 2_500 }],
		['the valley of Rosenbrock', rosenbrock, { dimension: 2, start: 0, sigma: 0.5, target: 1e-6, most: 25_000 }],
	])('%s', (_, goal, options) => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
				expect(evaluations(goal, { ...options, seed })).toBeLessThanOrEqual(options.most);
			}),
			{ seed: 11, numRuns: 60 },
		);
	});
});

it('the same seed draws the same points, another seed others', () => {
	const first = (seed: number) => createEvolutionStrategy({ dimension: 5, sigma: 1, random: seededRandom(seed) }).ask();
	expect(first(1)).toEqual(first(1));
	expect(first(1)).not.toEqual(first(2));
});

it('stays finite when nothing tells the points apart', () => {
	const strategy = createEvolutionStrategy({ dimension: 1, sigma: 1, random: seededRandom(3) });
	for (let round = 0; round < 200; round += 1) {
		strategy.tell(Array.from({ length: strategy.population }, () => strategy.ask()));
	}
	expect(strategy.ask().every(Number.isFinite)).toBe(true);
});
