import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentProcess } from '@kapso-evolve/process';
import type { Damage } from './damage.ts';
import { differences, mustBeSame, mustBeSwitched, refsAreKept } from './explain.ts';
import { type Content, exists, type Path, put, readAll, remove, show } from './files.ts';
import { headCommitOf, readRepository } from './repository-state.ts';
import { applySome, type Case, refusal } from './situation.ts';
import { userStates } from './user-states.ts';

/** The campaign is opened again, after a person or an engine that was killed left it in some state. */
export async function reopenCase(one: Case): Promise<{ refused: boolean; damage: Damage[] }> {
	const { world, dice, log } = one;
	const { root } = world;
	if (dice.chance(0.45)) return recoverCase(one);
	await applySome(one, userStates, { world, root, dice, focus: [] });
	const theirs = join(world.folder, 'theirs');
	const before = await readRepository(root);
	const outside = exists(world.folder, 'theirs') ? readAll(theirs) : new Map<Path, Content>();
	const checkoutMain = dice.chance(0.7);
	log(`open, checkoutMain ${checkoutMain}`);
	try {
		const workspace = await world.open({ checkoutMain });
		log(workspace.repairs.join('; '));
		await workspace.close();
	} catch (error) {
		refusal(error, log);
		return { refused: true, damage: mustBeSame(before, await readRepository(root), 'refused open') };
	}
	const after = await readRepository(root);
	const damage = exists(world.folder, 'theirs')
		? differences(outside, readAll(theirs), 'worktree of the user’s', 'bytes')
		: [];
	if (outside.size > 0 && !exists(world.folder, 'theirs'))
		damage.push({ kind: 'bytes', what: 'the user’s own worktree is gone' });
	if (after.head === before.head) damage.push(...mustBeSame(before, after, 'open'));
	else if (!checkoutMain) damage.push({ kind: 'refs', what: `open moved HEAD to ${after.head}` });
	else {
		const head = headCommitOf(before);
		damage.push(
			...mustBeSwitched({
				before,
				after,
				from: head === null ? null : await world.oracle.files(head),
				to: await world.oracle.files(after.refs.get('refs/heads/main')!),
				doing: 'open',
			}),
		);
	}
	return { refused: false, damage };
}

/** A switch that was killed: each path of its difference in one of the states that Git leaves, and some edited since. */
async function recoverCase(one: Case): Promise<{ refused: boolean; damage: Damage[] }> {
	const { world, dice, log } = one;
	const { root } = world;
	const target = dice.pick([...world.branches.keys()].filter((name) => name !== 'main'));
	log(`a switch to ${target} was killed`);
	const from = await world.oracle.files(world.branches.get('main')!);
	const to = await world.oracle.files(world.branches.get(target)!);
	const changed = [...new Set([...from.keys(), ...to.keys()])].filter((path) => from.get(path) !== to.get(path));
	const clashes = (path: Path) => changed.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
	for (const path of changed.filter((one) => !clashes(one)))
		leaveHalf({ root, path, from: from.get(path), to: to.get(path), state: dice.integer(4) });
	const edited: Path[] = [];
	if (dice.chance(0.5)) {
		const path = dice.pick(changed.filter((one) => !clashes(one)).concat('same.txt', 'mine.txt'));
		log(`the user edited ${show(path)} since`);
		put(root, path, '100644 the user’s own words\n');
		edited.push(path);
	}
	const lock = dice.pick(['none', 'none', 'engine', 'foreign'] as const);
	const writer = { ...currentProcess(), pid: 4_190_000, startTime: currentProcess().startTime.replace(/^\d+/, '1') };
	mkdirSync(join(root, '.git/kapso'), { recursive: true });
	if (lock !== 'none') writeFileSync(join(root, '.git/index.lock'), '');
	if (lock === 'foreign') utimesSync(join(root, '.git/index.lock'), 1_700_000_000, 1_700_000_000);
	const intent = { schema_version: 1, from: world.branches.get('main'), to: world.branches.get(target), writer };
	writeFileSync(join(root, '.git/kapso/switch.json'), JSON.stringify(intent));
	if (lock === 'engine') utimesSync(join(root, '.git/index.lock'), Date.now() / 1000 + 1, Date.now() / 1000 + 1);
	log(`lock: ${lock}`);

	const before = await readRepository(root);
	let repairs: readonly string[] = [];
	try {
		const workspace = await world.open();
		({ repairs } = workspace);
		await workspace.close();
	} catch (error) {
		refusal(error, log);
		return { refused: true, damage: mustBeSame(before, await readRepository(root), 'refused open') };
	}
	log(repairs.join('; '));
	const after = await readRepository(root);
	const isLeft = repairs.some((line) => line.startsWith('left as it is'));
	if (isLeft) {
		const damage = mustBeSame(before, after, 'left as it is');
		// The lock of the engine that was killed is the engine's.
		return { refused: true, damage: damage.filter(({ what }) => lock !== 'engine' || !what.includes('index.lock')) };
	}
	const expected = new Map(from);
	for (const path of edited) expected.set(path, before.files.get(path)!);
	const damage = differences(expected, after.files, 'recovered: file', 'bytes');
	damage.push(
		...differences(
			new Map([...before.private].filter(([path]) => path !== 'index.lock' || lock === 'foreign')),
			after.private,
			'recovered: .git/',
			'bytes',
		),
	);
	damage.push(
		...refsAreKept(before, after, 'recovered'),
		...differences(before.index, after.index, 'recovered: index', 'bytes'),
	);
	return { refused: false, damage };
}

function leaveHalf(o: {
	root: string;
	path: Path;
	from: Content | undefined;
	to: Content | undefined;
	state: number;
}): void {
	const { root, path, from, to, state } = o;
	if (state === 0) return;
	if (state === 1 || to === undefined) {
		remove(root, path);
		return;
	}
	const isTorn = state === 2 && to.startsWith('100644 ') && from?.slice(0, 6) !== '120000';
	put(root, path, isTorn ? to.slice(0, 7 + Math.floor((to.length - 7) / 2)) : to);
}
