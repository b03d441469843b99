import { seededRandom } from '@kapso-evolve/contracts';
import { createEvolutionStrategy, type EvolutionStrategy } from './evolution-strategy.ts';
import { type Coordinate, coordinateOf } from './search-space.ts';
import { createTrials, type Measured, type Trials } from './trials.ts';
import type { TryAnswer } from './try-command.ts';
import type { TunableFolder } from './tunable-folder.ts';

export interface Improvement {
	readonly changes: readonly Change[];
	/** Score of the tree as it was found and as it was left; null where a trial gave none. */
	readonly before: number | null;
	readonly after: number | null;
	readonly improved: boolean;
	readonly trials: number;
	/** What the evaluator said about the tree that was left. */
	readonly feedback: string;
	/** Why trials ended before the budget, or null. */
	readonly trouble: string | null;
}
export interface Change {
	readonly path: string;
	readonly line: number;
	readonly from: string;
	readonly to: string;
}

/** Redraws of a point whose text is known before its old score is used again. */
const redraws = 8;
/** Generations without a new text after which the space counts as searched. */
const staleGenerations = 30;

/**
 * Tunes the folder's literals within `trials` calls of `attempt`, which scores the folder as it stands; the first call
 * measures the original. The best text is in the files at the end, however the search ends; among equals the later
 * one, so that a campaign can drift over a plateau. Same seed and same answers, same bytes.
 */
export async function improve(options: {
	readonly folder: TunableFolder;
	readonly seed: number;
	readonly trials: number;
	readonly attempt: () => Promise<TryAnswer>;
	readonly signal?: AbortSignal;
	readonly onTrial?: (trial: number, score: number | null, best: number | null) => void;
}): Promise<Improvement> {
	const { folder, seed, trials: budget, ...rest } = options;
	const trials = createTrials({ folder, budget, ...rest });
	const coordinates = folder.tunables.map(coordinateOf);
	const strategy = createEvolutionStrategy({
		dimension: coordinates.length,
		sigma: 1,
		random: seededRandom(seed),
	});
	let before: Measured | null = null;
	try {
		before = await trials.measure(folder.tunables.map(({ text }) => text));
		for (let stale = 0; trials.open && stale < staleGenerations; ) {
			const countBefore = trials.count;
			const told = await generation(strategy, coordinates, trials);
			stale = trials.count === countBefore ? stale + 1 : 0;
			if (told === 'flat' || stale > 0) strategy.widen();
		}
	} finally {
		await folder.write(trials.best.texts);
	}
	const { best, count, trouble } = trials;
	return {
		changes: changesOf(folder, best.texts),
		before: before?.score ?? null,
		after: best.score,
		improved: before !== null && best.cost < before.cost,
		trials: count,
		feedback: best.feedback,
		trouble,
	};
}

/** Moves every literal once, unmeasured: all that can be done where nothing can be tried. */
export async function moveOnce(folder: TunableFolder, seed: number): Promise<readonly Change[]> {
	const coordinates = folder.tunables.map(coordinateOf);
	const strategy = createEvolutionStrategy({ dimension: coordinates.length, sigma: 1, random: seededRandom(seed) });
	const { texts } = draw(strategy, coordinates, () => false);
	await folder.write(texts);
	return changesOf(folder, texts);
}

/** One generation: as many points as the strategy wants, measured, ranked and told. */
async function generation(
	strategy: EvolutionStrategy,
	coordinates: readonly Coordinate[],
	trials: Trials,
): Promise<'ranked' | 'flat' | 'ended'> {
	const seen: { point: readonly number[]; cost: number }[] = [];
	while (seen.length < strategy.population) {
		const { point, texts } = draw(strategy, coordinates, trials.isKnown);
		const measured = await trials.measure(texts);
		if (!measured) return 'ended';
		seen.push({ point, cost: measured.cost });
	}
	// No subtraction: two infinite costs are equal.
	const ranked = seen.toSorted((a, b) => (a.cost === b.cost ? 0 : a.cost < b.cost ? -1 : 1));
	strategy.tell(ranked.map(({ point }) => point));
	return ranked[0]!.cost === ranked.at(-1)!.cost ? 'flat' : 'ranked';
}

function draw(
	strategy: EvolutionStrategy,
	coordinates: readonly Coordinate[],
	isKnown: (texts: readonly string[]) => boolean,
): { point: readonly number[]; texts: readonly string[] } {
	for (let left = redraws; ; left -= 1) {
		const point = strategy.ask().map((value, k) => coordinates[k]!.clamp(value));
		const texts = point.map((value, k) => coordinates[k]!.textAt(value));
		if (left === 0 || !isKnown(texts)) return { point, texts };
	}
}

function changesOf({ tunables }: TunableFolder, texts: readonly string[]): Change[] {
	return tunables.flatMap(({ path, line, text }, index) =>
		texts[index] === text ? [] : [{ path, line, from: text, to: texts[index]! }],
	);
}
