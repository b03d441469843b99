import { existsSync } from 'node:fs';
import type { Damage } from './damage.ts';
import { unexplainedError } from './explain.ts';
import { readAll } from './files.ts';
import { finaliseCase } from './finalise-case.ts';
import { materialiseCase } from './materialise-case.ts';
import { openCase } from './open-case.ts';
import { reopenCase } from './reopen-case.ts';
import type { Case } from './situation.ts';
import { switchCase } from './switch-case.ts';

const operations = {
	switch: switchCase,
	reopen: reopenCase,
	finalise: finaliseCase,
	materialise: materialiseCase,
	open: openCase,
};
export type Operation = keyof typeof operations;
const weights: readonly Operation[] = [
	...Array<'switch'>(6).fill('switch'),
	...Array<'finalise'>(5).fill('finalise'),
	...Array<'reopen'>(4).fill('reopen'),
	...Array<'materialise'>(3).fill('materialise'),
	...Array<'open'>(2).fill('open'),
];

/** One random state and one operation on it. `remove` is the end of `finalise` and of `materialise`. */
export async function runCase(
	one: Case,
	only: Operation | null,
): Promise<{ operation: string; refused: boolean; damage: Damage[] }> {
	const { world, dice } = one;
	world.reset();
	const chosen = dice.pick(weights);
	const operation = only ?? chosen;
	one.log(`== ${operation}`);
	const canary = readAll(world.canary);
	let refused = false;
	let damage: Damage[];
	try {
		const answer = await operations[operation](one);
		({ refused, damage } = answer);
	} catch (error) {
		damage = [unexplainedError(error)];
	}
	if (existsSync(world.ran)) damage.push({ kind: 'unexplained', what: 'a program of the user’s was run' });
	const now = readAll(world.canary);
	for (const [path, content] of canary) {
		if (now.get(path) !== content) damage.push({ kind: 'bytes', what: `${path} outside was changed` });
	}
	for (const path of now.keys())
		if (!canary.has(path)) damage.push({ kind: 'unexplained', what: `${path} outside is new` });
	return { operation, refused, damage };
}
