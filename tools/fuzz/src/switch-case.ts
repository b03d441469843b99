import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from './damage.ts';
import { mustBeSame, mustBeSwitched } from './explain.ts';
import { git } from './plain-git.ts';
import { headCommitOf, readRepository } from './repository-state.ts';
import { applySome, type Case, focusOf, refusal } from './situation.ts';
import { userStates } from './user-states.ts';

/** What another program does in the very moment between the look and the switch. */
const surprises: Readonly<Record<string, string>> = {
	'makes an ignored file where the target has one':
		'mkdir -p cache; for f in cache/entry out.log .env; do [ -p $f ] || echo precious > $f; done',
	'makes an ignored folder where the target has a file':
		'mkdir -p out.log .env && echo precious > out.log/p && echo precious > .env/p',
	'takes the lock of HEAD': ': > .git/HEAD.lock',
	'edits every file': 'for f in a.txt dir/b.txt swap folder/x.txt; do [ -f "$f" ] && echo precious > "$f"; done',
	'is a git that does nothing and says that it did': 'exit 0',
};

export async function switchCase(one: Case): Promise<{ refused: boolean; damage: Damage[] }> {
	const { world, dice } = one;
	const { root } = world;
	const target = dice.pick([...world.branches.keys(), ...world.branches.values(), 'users/own', 'no-such-ref']);
	await applySome(one, userStates, { world, root, dice, focus: await focusOf(one, target) });
	let { workspace } = world;
	let surprise: string | null = null;
	if (dice.chance(0.15)) {
		surprise = dice.pick(Object.keys(surprises));
		one.log(`meanwhile another program ${surprise}`);
		workspace = await world.open({
			checkoutMain: false,
			userEnvironment: { PATH: `${shim(one, surprises[surprise]!)}:${process.env.PATH}` },
		});
	}
	const before = await readRepository(root);
	const from = headCommitOf(before);
	one.log(`checkout ${target}`);
	let refused: string | null = null;
	const moved = world.branches.get(target);
	const best = moved !== undefined && dice.chance(0.2);
	try {
		if (best) await workspace.checkoutBest({ branch: target, commit: moved });
		else await workspace.checkout(target);
	} catch (error) {
		refused = refusal(error, one.log);
	}
	if (surprise !== null) await workspace.close();
	const after = await readRepository(root);
	if (surprise !== null)
		return { refused: refused !== null, damage: await surprised(one, { before, after, refused, target }) };
	if (refused !== null) return { refused: true, damage: mustBeSame(before, after, `refused ${refused}`) };
	const to = before.refs.get(`refs/heads/${target}`) ?? (await git(root, ['rev-parse', `${target}^{commit}`]));
	const isBranch = before.refs.has(`refs/heads/${target}`);
	const damage = mustBeSwitched({
		before,
		after,
		from: from === null ? null : await world.oracle.files(from),
		to: await world.oracle.files(to),
		doing: `switch to ${target}`,
	});
	if (after.head !== (isBranch ? `ref: refs/heads/${target}` : to)) {
		damage.push({ kind: 'refs', what: `HEAD is ${after.head} after a switch to ${target}` });
	}
	return { refused: false, damage };
}

/** The other program's bytes are precious, and the answer must be true; which of the two won is open. */
async function surprised(
	one: Case,
	o: {
		readonly before: Awaited<ReturnType<typeof readRepository>>;
		readonly after: Awaited<ReturnType<typeof readRepository>>;
		readonly refused: string | null;
		readonly target: string;
	},
): Promise<Damage[]> {
	const { before, after, refused, target } = o;
	const damage: Damage[] = [];
	const begun = one.world.ranShim();
	for (const path of [
		'cache/entry',
		'out.log',
		'.env',
		'out.log/p',
		'.env/p',
		'a.txt',
		'dir/b.txt',
		'swap',
		'folder/x.txt',
	]) {
		if (begun.includes(path) && after.files.get(path) !== '100644 precious\n') {
			damage.push({ kind: 'bytes', what: `${path} of the other program is ${after.files.get(path) ?? 'gone'}` });
		}
	}
	const changed = (path: string) => before.files.get(path) !== after.files.get(path) && !begun.includes(path);
	if (refused !== null) {
		for (const path of new Set([...before.files.keys(), ...after.files.keys()])) {
			if (changed(path) && after.files.get(path) !== 'folder')
				damage.push({ kind: 'unexplained', what: `refused ${refused}, but ${path} changed` });
		}
		return damage;
	}
	const to =
		before.refs.get(`refs/heads/${target}`) ?? (await git(one.world.root, ['rev-parse', `${target}^{commit}`]));
	const now = after.head.startsWith('ref: ') ? after.refs.get(after.head.slice(5)) : after.head;
	if (now !== to) damage.push({ kind: 'unexplained', what: `said to be on ${to}, but HEAD is ${after.head}` });
	return damage;
}

function shim(one: Case, action: string): string {
	const folder = join(one.world.folder, 'bin');
	mkdirSync(folder, { recursive: true });
	const script = `#!/bin/sh
case " $* " in *' switch '*)
	cd '${one.world.root}' || exit 1
	${action}
	find . -path ./.git -prune -o -type f -exec grep -lx precious {} + > '${one.world.folder}/begun'
	;;
esac
PATH='${process.env.PATH}' exec git "$@"
`;
	writeFileSync(join(folder, 'git'), script);
	chmodSync(join(folder, 'git'), 0o755);
	return folder;
}
