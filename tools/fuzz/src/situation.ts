import { join } from 'node:path';
import type { Dice } from './dice.ts';
import { isNamed } from './explain.ts';
import type { Path } from './files.ts';
import type { World } from './world.ts';

export interface Case {
	readonly world: World;
	readonly dice: Dice;
	/** Says, in order, what was done: the replay of a case prints it. */
	log(line: string): void;
}

/** The refusal's code and paths, or the error thrown on when it names nothing. */
export function refusal(error: unknown, log: (line: string) => void): string {
	if (!isNamed(error)) throw error;
	log(`refused: ${error.code} ${error.message.split('\n')[0]}`);
	return error.code;
}

export function applySome<S>(
	one: Case,
	states: Readonly<Record<string, (situation: S) => unknown>>,
	situation: S,
	most = 4,
): Promise<void> {
	const names = Object.keys(states);
	const count = one.dice.integer(most + 1);
	return (async () => {
		for (let done = 0; done < count; done++) {
			const name = one.dice.pick(names);
			one.log(name);
			await states[name]!(situation);
		}
		one.world.disarm(); // the user's own commands may run the user's own programs
	})();
}

export function cloneFolder(one: Case): string {
	return join(one.world.state, 'clones', `c${one.dice.integer(2 ** 31)}`);
}

/** Paths in which `main` and a branch or commit differ. */
export async function focusOf({ world }: Case, target: string): Promise<Path[]> {
	const commit = world.branches.get(target) ?? target;
	if (![...world.branches.values()].includes(commit)) return [];
	const [from, to] = [await world.oracle.files(world.branches.get('main')!), await world.oracle.files(commit)];
	return [...new Set([...from.keys(), ...to.keys()])].filter((path) => from.get(path) !== to.get(path));
}
