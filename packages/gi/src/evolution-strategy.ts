import type { Random } from '@kapso-evolve/contracts';

export interface EvolutionStrategy {
	/** Points that one generation wants to see. */
	readonly population: number;
	/** A point drawn from the present distribution. */
	ask(): number[];
	/** The points of a generation, best first. */
	tell(ranked: readonly (readonly number[])[]): void;
	/** Wider steps, for when nothing told the points apart. */
	widen(): void;
}

/**
 * Separable CMA-ES (Ros and Hansen, PPSN 2008): a normal distribution with one variance a coordinate, which learns
 * from ranks alone. Starts around 0 with standard deviation `sigma`. The constants are those of Hansen's tutorial
 * (arXiv 1604.00772), with the learning rates of the covariance raised by (n + 2) / 3 as the separable form allows.
 */
export function createEvolutionStrategy(options: {
	readonly dimension: number;
	readonly sigma: number;
	readonly random: Random;
	readonly population?: number;
}): EvolutionStrategy {
	const n = options.dimension;
	const population = options.population ?? 4 + Math.floor(3 * Math.log(n));
	const parents = Math.floor(population / 2);
	const raw = Array.from({ length: parents }, (_, rank) => Math.log((population + 1) / 2) - Math.log(rank + 1));
	const total = raw.reduce((sum, weight) => sum + weight, 0);
	const weights = raw.map((weight) => weight / total);
	const mass = 1 / weights.reduce((sum, weight) => sum + weight ** 2, 0);

	const pathRate = (mass + 2) / (n + mass + 5);
	const damping = 1 + 2 * Math.max(0, Math.sqrt((mass - 1) / (n + 1)) - 1) + pathRate;
	const covariancePathRate = (4 + mass / n) / (n + 4 + (2 * mass) / n);
	const faster = (n + 2) / 3;
	const rankOne = Math.min(1, (faster * 2) / ((n + 1.3) ** 2 + mass));
	const rankMany = Math.min(1 - rankOne, (faster * 2 * (mass - 2 + 1 / mass)) / ((n + 2) ** 2 + mass));
	const expectedLength = Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n ** 2));

	const normal = createNormal(options.random);
	const zeros = () => new Array<number>(n).fill(0);
	let mean = zeros();
	let sigma = options.sigma;
	let variance = zeros().map(() => 1);
	let path = zeros();
	let covariancePath = zeros();
	let generation = 0;

	return {
		population,
		ask: () => mean.map((centre, k) => centre + sigma * Math.sqrt(variance[k]!) * normal()),
		tell(ranked) {
			generation += 1;
			const chosen = ranked.slice(0, parents);
			const next = mean.map((_, k) => chosen.reduce((sum, point, rank) => sum + weights[rank]! * point[k]!, 0));
			const moved = next.map((centre, k) => (centre - mean[k]!) / sigma);
			const pathGain = Math.sqrt(pathRate * (2 - pathRate) * mass);
			path = path.map((value, k) => (1 - pathRate) * value + (pathGain * moved[k]!) / Math.sqrt(variance[k]!));
			const length = Math.hypot(...path);
			const settled = length / Math.sqrt(1 - (1 - pathRate) ** (2 * generation)) < (1.4 + 2 / (n + 1)) * expectedLength;
			const gain = settled ? Math.sqrt(covariancePathRate * (2 - covariancePathRate) * mass) : 0;
			covariancePath = covariancePath.map((value, k) => (1 - covariancePathRate) * value + gain * moved[k]!);
			const lost = settled ? 0 : rankOne * covariancePathRate * (2 - covariancePathRate);
			variance = variance.map((value, k) => {
				const spread = chosen.reduce(
					(sum, point, rank) => sum + weights[rank]! * ((point[k]! - mean[k]!) / sigma) ** 2,
					0,
				);
				const kept = (1 - rankOne - rankMany + lost) * value;
				return Math.max(1e-12, kept + rankOne * covariancePath[k]! ** 2 + rankMany * spread);
			});
			sigma *= Math.exp(Math.min(1, (pathRate / damping) * (length / expectedLength - 1)));
			mean = next;
		},
		widen() {
			sigma *= 1.5;
		},
	};
}

/** Standard normal numbers by Box and Muller's method, both of each pair. */
function createNormal(random: Random): () => number {
	let spare: number | null = null;
	return () => {
		if (spare !== null) {
			const number = spare;
			spare = null;
			return number;
		}
		const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
		const angle = 2 * Math.PI * random.next();
		spare = radius * Math.sin(angle);
		return radius * Math.cos(angle);
	};
}
