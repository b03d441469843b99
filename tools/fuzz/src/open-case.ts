import { chmodSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from './damage.ts';
import { differences } from './explain.ts';
import { type Content, exists, type Path, put, readAll, remove, show } from './files.ts';
import { createOracle } from './oracle.ts';
import { git, plainGit } from './plain-git.ts';
import { type Case, refusal } from './situation.ts';
import { changedTree, importStream, mainFiles } from './trees.ts';

interface Seed {
	readonly one: Case;
	readonly seed: string;
}

/** What a seed may have in it. Each returns nothing: what must become of it is read from the seed itself. */
const seedStates: Readonly<Record<string, (s: Seed) => unknown>> = {
	'edited files': ({ one, seed }) => put(seed, one.dice.pick(['a.txt', 'dir/b.txt']), `100644 ${one.dice.text()}`),
	'an untracked file': ({ one, seed }) =>
		put(seed, one.dice.pick(['new.txt', 'new/deep.txt', '-dash new']), `100644 ${one.dice.text()}`),
	'a staged file': ({ one, seed }) => {
		put(seed, 'staged.txt', `100644 ${one.dice.text()}`);
		return plainGit(seed, ['add', 'staged.txt']);
	},
	'ignored files': ({ one, seed }) =>
		put(seed, one.dice.pick(['x.log', 'cache/x', 'dir/y.log']), `100644 ${one.dice.text()}`),
	'deleted files': ({ seed }) => remove(seed, 'dir/c.txt'),
	secrets: ({ one, seed }) =>
		put(seed, one.dice.pick(['id_rsa', 'keys/server.pem', '.npmrc', 'sub/.env.local']), '100644 secret\n'),
	'an odd name': ({ one, seed }) =>
		put(seed, one.dice.pick(['tab\there', 'bad\xff', 'new\nline']), `100644 ${one.dice.text()}`),
	'a dangling link': ({ seed }) => put(seed, 'dangling', '120000 nowhere'),
	'a link outside': ({ one, seed }) =>
		put(seed, 'outside', `120000 ${Buffer.from(one.world.canary).toString('latin1')}`),
	'a repository inside': ({ one, seed }) => cpSync(one.world.nested, join(seed, 'vendor'), { recursive: true }),
	'a submodule': async ({ one, seed }) => {
		const commit = await git(one.world.nested, ['rev-parse', 'HEAD']);
		await plainGit(seed, ['update-index', '--add', '--cacheinfo', `160000,${commit},sub`]);
		await plainGit(seed, ['commit', '--quiet', '--message', 'submodule']);
	},
	'large file pointers': async ({ seed }) => {
		put(seed, '.gitattributes', '100644 *.bin filter=lfs\n');
		put(seed, 'w.bin', `100644 version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`);
		await plainGit(seed, ['-c', 'filter.lfs.required=false', 'add', '.gitattributes', 'w.bin']);
		await plainGit(seed, ['commit', '--quiet', '--message', 'lfs']);
	},
	'a detached HEAD': ({ seed }) => plainGit(seed, ['switch', '--quiet', '--detach']),
	'another branch': ({ seed }) => plainGit(seed, ['branch', '-m', 'develop']),
	'a merge in progress': ({ seed }) =>
		exists(seed, '.git/HEAD') && put(seed, '.git/MERGE_HEAD', `100644 ${'1'.repeat(40)}\n`),
	'an index lock': ({ seed }) => exists(seed, '.git/HEAD') && put(seed, '.git/index.lock', '100644 '),
	'hooks and filters': ({ one, seed }) => {
		if (!exists(seed, '.git/HEAD')) return;
		put(seed, '.git/hooks/post-checkout', `100755 #!/bin/sh\nexec '${one.world.tripwire}' </dev/null\n`);
		chmodSync(join(seed, '.git/hooks/post-checkout'), 0o755);
		put(seed, '.git/info/attributes', '100644 * filter=evil\n');
		return plainGit(seed, ['config', 'filter.evil.clean', one.world.tripwire]);
	},
};

export async function openCase(one: Case): Promise<{ refused: boolean; damage: Damage[] }> {
	const { world, dice, log } = one;
	const place = join(world.folder, `open-${dice.integer(1e6)}`);
	const seed = join(place, 'seed');
	const kind = dice.pick(['repository', 'repository', 'folder', 'folder', 'nothing'] as const);
	mkdirSync(seed, { recursive: true });
	try {
		const files = changedTree(dice, mainFiles, dice.chance(0.1));
		if (kind === 'repository') {
			await git(seed, ['init', '--quiet', '--initial-branch=main', '--template=']);
			await git(seed, ['fast-import', '--quiet'], importStream([{ branch: 'main', files }]));
			await git(seed, ['reset', '--quiet', '--hard']);
		} else for (const [path, content] of files) if (!content.startsWith('120000')) put(seed, path, content);
		for (let count = dice.integer(4); count > 0; count--) {
			const name = dice.pick(Object.keys(seedStates));
			log(`seed (${kind}) has ${name}`);
			await seedStates[name]!({ one, seed });
		}
		const output = kind !== 'nothing' && dice.chance(0.08) ? join(seed, 'output') : join(place, 'output');
		const occupied = dice.chance(0.15);
		if (occupied) mkdirSync(output, { recursive: true });
		if (occupied) for (const path of ['a.txt', 'mine.txt']) put(output, path, '100644 precious\n');
		return await openSeed(one, { kind, seed, output, place });
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}

async function openSeed(
	one: Case,
	o: { kind: 'repository' | 'folder' | 'nothing'; seed: string; output: string; place: string },
): Promise<{ refused: boolean; damage: Damage[] }> {
	const { world, dice, log } = one;
	const { kind, seed, output } = o;
	const includeUncommitted = dice.chance(0.4);
	const allowSecrets = dice.chance(0.2);
	const before = readAll(o.place);
	log(`open ${kind}, includeUncommitted ${includeUncommitted}, allowSecrets ${allowSecrets}`);
	let workspace: Awaited<ReturnType<typeof world.open>>;
	try {
		workspace = await world.open({
			path: output,
			includeUncommitted,
			allowSecrets,
			...(kind === 'nothing' ? {} : { seed }),
		});
	} catch (error) {
		refusal(error, log);
		return { refused: true, damage: differences(before, readAll(o.place), 'refused open', 'bytes') };
	}
	try {
		const below = (path: Path) => path === 'output' || path.startsWith('output/');
		const damage = differences(
			new Map([...before].filter(([path]) => !below(path))),
			readAll(o.place, below),
			'open',
			'bytes',
		);
		for (const [path, content] of before) {
			if (below(path) && content !== 'folder')
				damage.push({ kind: 'bytes', what: `${show(path)} was in the output already` });
		}
		const tree = await createOracle(output).files(workspace.mainCommit);
		damage.push(
			...differences(
				tree,
				readAll(output, (path) => path === '.git'),
				'campaign',
				'unexplained',
			),
		);
		if (kind !== 'nothing')
			damage.push(
				...(await holdsSeed({
					kind,
					seed,
					tree,
					reported: workspace.seed.uncommitted,
					includeUncommitted,
					allowSecrets,
				})),
			);
		if (existsSync(join(output, '.git/hooks'))) damage.push({ kind: 'unexplained', what: 'hooks were copied' });
		return { refused: false, damage };
	} finally {
		await workspace.close();
	}
}

/** Each file of the seed is in the campaign, or left out for a reason that somebody was told. */
async function holdsSeed(o: {
	kind: 'repository' | 'folder';
	seed: string;
	tree: ReadonlyMap<Path, Content>;
	reported: readonly string[];
	includeUncommitted: boolean;
	allowSecrets: boolean;
}): Promise<Damage[]> {
	const { kind, seed, tree, reported, includeUncommitted, allowSecrets } = o;
	const damage: Damage[] = [];
	const committed = kind === 'repository' ? await createOracle(seed).files('HEAD') : null;
	const files = readAll(seed, (path) => path === '.git');
	const told = new Set(reported);
	const isIgnored = (path: Path) => /(^|\/)cache\/|\.log(\/|$)|(^|\/)\.env(\/|$)/.test(path);
	for (const [path, content] of files) {
		if (content === 'folder' || /(^|\/)\.git(\/|$)/.test(path) || content === 'special') continue;
		const name = Buffer.from(path, 'latin1').toString('utf8');
		if (committed?.get(path) === content) {
			if (tree.get(path) !== content)
				damage.push({ kind: 'bytes', what: `${show(path)} of the seed is not in the campaign` });
		} else if (tree.get(path) === content) {
			if (kind === 'repository' && !includeUncommitted)
				damage.push({ kind: 'unexplained', what: `${show(path)} was not committed` });
		} else if (
			!isIgnored(path) &&
			!told.has(name) &&
			![...told].some((one) => one.endsWith('/') && name.startsWith(one))
		) {
			damage.push({ kind: 'bytes', what: `${show(path)} of the seed was left out without a word` });
		}
	}
	for (const [path, content] of tree) {
		if (content.startsWith('160000')) damage.push({ kind: 'bytes', what: `${show(path)} is an empty submodule` });
		if (content.slice(7).startsWith('version https://git-lfs.github.com/spec/'))
			damage.push({ kind: 'bytes', what: `${show(path)} is a pointer` });
		if (!allowSecrets && committed?.has(path) !== true && content === '100644 secret\n')
			damage.push({ kind: 'unexplained', what: `${show(path)} is a secret` });
	}
	return damage;
}
