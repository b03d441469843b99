import { createHash } from 'node:crypto';
import { seededRandom } from '@kapso-evolve/contracts';

/** Choices that a seed decides: the same words give the same choices on every machine. */
export interface Dice {
	chance(probability: number): boolean;
	/** From 0 up to, not including, `below`. */
	integer(below: number): number;
	pick<T>(list: readonly T[]): T;
	/** Some words that no file had before. */
	text(): string;
}

export function createDice(...words: readonly (string | number)[]): Dice {
	const random = seededRandom(createHash('sha256').update(words.join(' ')).digest().readUInt32LE(0));
	const integer = (below: number) => Math.floor(random.next() * below);
	return {
		chance: (probability) => random.next() < probability,
		integer,
		pick: (list) => list[integer(list.length)]!,
		text: () => `${integer(2 ** 31).toString(36)}\n`.repeat(1 + integer(4)),
	};
}
