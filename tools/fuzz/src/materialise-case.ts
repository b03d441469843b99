import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Damage } from './damage.ts';
import { differences, mustBeSame } from './explain.ts';
import { put, readAll, show } from './files.ts';
import { git, plainGit } from './plain-git.ts';
import { readRepository } from './repository-state.ts';
import { applySome, type Case, cloneFolder, refusal } from './situation.ts';
import { userStates } from './user-states.ts';

/** Whatever runs in a worktree may do there. */
const insideStates: Readonly<Record<string, (path: string, canary: string) => unknown>> = {
	'edits and leaves files': (path) => {
		put(path, 'a.txt', '100644 changed\n');
		put(path, 'cache/out', '100644 left\n');
	},
	commits: async (path) => {
		put(path, 'found.txt', `100644 found ${Math.random()}\n`);
		await plainGit(path, ['add', '--all', '--', 'found.txt']);
		await plainGit(path, ['commit', '--quiet', '--no-verify', '--message', 'found']);
	},
	'deletes its .git': (path) => rmSync(join(path, '.git'), { force: true }),
	'is replaced by a link': (path, canary) => {
		rmSync(path, { recursive: true });
		symlinkSync(canary, path);
	},
	'links outside': (path, canary) => put(path, 'outside', `120000 ${Buffer.from(canary).toString('latin1')}`),
	'is deleted': (path) => rmSync(path, { recursive: true }),
};

export async function materialiseCase(one: Case): Promise<{ refused: boolean; damage: Damage[] }> {
	const { world, dice, log } = one;
	const { workspace, root } = world;
	await applySome(one, userStates, { world, root, dice, focus: [] }, 2);
	const before = await readRepository(root);
	const ref = dice.pick([...world.branches.keys(), ...world.branches.values(), 'no-such-ref']);
	log(`materialise ${ref}`);
	const commit = before.refs.get(`refs/heads/${ref}`) ?? ref;
	const damage: Damage[] = [];
	let refused = false;
	if (dice.chance(0.3)) refused = await asTree(one, commit, damage);
	else if (dice.chance(0.4)) refused = await fromPool(one, damage);
	else {
		try {
			const tree = await workspace.materialize(ref);
			damage.push(
				...differences(
					await world.oracle.files(commit),
					readAll(tree.path, (path) => path === '.git'),
					'worktree',
					'unexplained',
				),
			);
			if (dice.chance(0.5)) {
				log('another engine opens the campaign meanwhile');
				const other = await world.open({ checkoutMain: false }).catch((error: unknown) => refusal(error, log));
				if (typeof other !== 'string') await other.close();
				if (!existsSync(join(tree.path, 'same.txt')) && (await world.oracle.files(commit)).has('same.txt')) {
					damage.push({ kind: 'bytes', what: 'a worktree in use was swept' });
				}
			}
			let made = '';
			if (dice.chance(0.7) && existsSync(tree.path)) {
				const name = dice.pick(Object.keys(insideStates));
				log(`inside: ${name}`);
				await insideStates[name]!(tree.path, world.canary);
				world.disarm();
				if (name === 'commits') made = await git(tree.path, ['rev-parse', 'HEAD']);
			}
			await tree[Symbol.asyncDispose]();
			if (lstatSync(tree.path, { throwIfNoEntry: false }) !== undefined)
				damage.push({ kind: 'unexplained', what: 'the worktree was not removed' });
			if (made !== '' && !(await git(root, ['rev-list', '--all'])).includes(made))
				damage.push({ kind: 'bytes', what: `the commit ${made} made inside is in no ref` });
			const left = (await git(root, ['worktree', 'list', '--porcelain']))
				.split('\n')
				.filter((line) => line.startsWith(`worktree ${world.state}`));
			for (const line of left) damage.push({ kind: 'unexplained', what: `still registered: ${line}` });
		} catch (error) {
			refusal(error, log);
			refused = true;
		}
	}
	const after = await readRepository(root);
	damage.push(
		...mustBeSame(before, after, 'materialise').filter(
			({ kind, what }) => !(kind === 'unexplained' && what.includes('refs/kapso/rescue')),
		),
	);
	return { refused, damage };
}

async function asTree(one: Case, commit: string, damage: Damage[]): Promise<boolean> {
	const { world, dice, log } = one;
	const to = cloneFolder(one);
	const dirty = dice.chance(0.2);
	mkdirSync(dirty ? to : world.state, { recursive: true });
	if (dirty) put(to, 'precious.txt', '100644 precious\n');
	const before = dirty ? readAll(to) : new Map<string, string>();
	const files = commit === 'no-such-ref' ? new Map<string, string>() : await world.oracle.files(commit);
	try {
		await world.workspace.materializeTree(commit === 'no-such-ref' ? '0'.repeat(40) : commit, { to });
	} catch (error) {
		const refused = commit === 'no-such-ref' ? 'NO_SUCH_OBJECT' : refusal(error, log);
		if (existsSync(to)) damage.push(...differences(before, readAll(to), `refused ${refused}: folder`, 'bytes'));
		rmSync(to, { recursive: true, force: true });
		return true;
	}
	if (dirty) damage.push({ kind: 'unexplained', what: 'a folder that was not empty was written into' });
	const written = readAll(to);
	damage.push(...differences(files, written, 'tree', 'unexplained'));
	for (const [path, content] of written) {
		const target = content.startsWith('120000 ') ? resolve(join(to, path), '..', content.slice(7)) : to;
		if (target !== to && !target.startsWith(`${to}/`))
			damage.push({ kind: 'unexplained', what: `${show(path)} leads outside` });
		// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
		if (/[\x00-\x1f\x7f]/.test(path)) damage.push({ kind: 'unexplained', what: `a tree has the name ${show(path)}` });
	}
	if (readdirSync(to).includes('.git')) damage.push({ kind: 'unexplained', what: 'a plain folder has a .git' });
	rmSync(to, { recursive: true });
	return false;
}

/** Folders that are used again, whatever was done to them in between. */
async function fromPool(one: Case, damage: Damage[]): Promise<boolean> {
	const { world, dice, log } = one;
	let refused = false;
	for (let lease = 0; lease < 3; lease++) {
		const [branch, commit] = dice.pick([...world.branches]);
		try {
			await using tree = await world.workspace.leaseTree(commit);
			log(`leased ${branch}`);
			damage.push(...differences(await world.oracle.files(commit), readAll(tree.path), 'leased tree', 'unexplained'));
			const focus = [...(await world.oracle.files(commit)).keys()];
			const path = dice.pick(focus);
			const harm = dice.integer(6);
			if (harm === 1) put(tree.path, path, '100644 harm\n');
			else if (harm === 2) put(tree.path, 'left/behind', '100644 harm\n');
			else if (harm === 3) rmSync(join(tree.path, path), { force: true });
			else if (harm === 4)
				put(tree.path, dice.pick(['dir', 'folder', 'new']), `120000 ${Buffer.from(world.canary).toString('latin1')}`);
			else if (harm === 5) rmSync(tree.path, { recursive: true });
			log(`harm ${harm}`);
		} catch (error) {
			refusal(error, log);
			refused = true;
		}
	}
	return refused;
}
