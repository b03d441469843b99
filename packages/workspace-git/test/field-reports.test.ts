import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepository, git, gitEnvironment, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIsomorphicReader } from '../src/index.ts';
import { deadProcess, type Situation, situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

/** What people who run such systems reported: each kind once, as a situation. */
let template: Situation;
beforeAll(async () => {
	template = await situation();
	await createRepository(join(template.folder, 'seed'), {
		'a.txt': 'main\n',
		'folder/b.txt': 'b\n',
		'.gitignore': '*.log\n',
	});
	const workspace = await template.open({ seed: join(template.folder, 'seed') });
	await candidate(template, workspace, { branch: 'generic_exp_0', files: { 'a.txt': 'candidate\n' } });
	await workspace.close();
});
afterAll(() => template[Symbol.asyncDispose]());

const rootFiles = (s: Situation) => readFiles(s.output, (path) => path === '.git');

describe('a candidate', () => {
	it('that cannot be named is kept in its clone, and the next try has it [D4, E06, G49]', async () => {
		await using s = await situation(template.folder);
		const workspace = await s.open();
		const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() });
		await writeFiles(clone.folder, { 'work.txt': 'paid for\n', 'left.log': 'ignored\n' });
		const before = await readFiles(clone.folder);
		await writeFiles(s.output, { '.git/refs/heads/generic_exp_1.lock': '' });
		const finalise = () =>
			workspace.finalise({ clone, parentCommit: workspace.mainCommit, branch: 'generic_exp_1', message: 'm' });
		await expect(finalise()).rejects.toMatchObject({ code: 'GIT_FAILED' });
		expect(await readFiles(clone.folder)).toEqual(before);
		expect([...(await workspace.branches()).keys()]).not.toContain('generic_exp_1');
		await rm(join(s.output, '.git/refs/heads/generic_exp_1.lock'));
		const done = await finalise();
		expect(done).toMatchObject({ status: 'committed', ignored: [{ path: 'left.log' }] });
		expect(await git(s.output, 'show', 'generic_exp_1:work.txt')).toBe('paid for');
		await workspace.removeClone(clone);
		expect(await readdir(join(s.state, 'clones'))).toEqual([]);
	});

	it('costs what it changes: the same large file in ten of them is kept once, and no scratch remains [G36, G38]', async () => {
		await using s = await situation(template.folder);
		const workspace = await s.open();
		const large = Buffer.alloc(400_000, crypto.randomUUID());
		for (let number = 1; number <= 10; number++) {
			await candidate(s, workspace, {
				branch: `generic_exp_${number}`,
				files: { 'weights.bin': large, 'n.txt': String(number), 'cache/repo/.git/HEAD': 'ref: refs/heads/x\n' },
			});
		}
		const blobs = new Set<string>();
		for (let number = 1; number <= 10; number++) {
			const tree = await workspace.objects.listTree(await workspace.resolve(`generic_exp_${number}`));
			blobs.add(tree.find(({ path }) => path.toString() === 'weights.bin')!.id);
		}
		expect(blobs.size).toBe(1);
		await workspace.close();
		const kilobytes = (await git(s.output, 'count-objects', '-v')).match(/size(?:-pack)?: (\d+)/g)!;
		expect(kilobytes.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBeLessThan(1500);
		expect((await readdir(s.state)).filter((name) => name.startsWith('engine-'))).toEqual([]);
	});
});

describe('a folder that somebody works in', () => {
	it('is a repository of its own, never the campaign’s by accident [G11]', async () => {
		await using s = await situation(template.folder);
		const workspace = await s.open();
		const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() });
		await using tree = await workspace.materialize('generic_exp_0');
		for (const folder of [clone.folder, tree.path]) {
			expect(await git(join(folder, 'folder'), 'rev-parse', '--show-toplevel')).toBe(folder);
		}
		expect(await git(clone.folder, 'rev-parse', '--path-format=absolute', '--git-common-dir')).toBe(
			join(clone.folder, '.git'),
		);
	});

	it('takes nothing of the campaign with it when it is removed, however many go at once [G08, G21]', async () => {
		await using s = await situation(template.folder);
		const workspace = await s.open();
		const before = await rootFiles(s);
		const clones = [];
		for (let number = 0; number < 3; number++) {
			clones.push(await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() }));
		}
		const trees = await Promise.all(['main', 'generic_exp_0', 'main'].map((ref) => workspace.materialize(ref)));
		await Promise.all([
			...clones.map((clone) => workspace.removeClone(clone)),
			...[...trees, ...trees].map((tree) => tree[Symbol.asyncDispose]()),
		]);
		expect(await rootFiles(s)).toEqual(before);
		expect(await git(s.output, 'fsck', '--full', '--strict')).not.toMatch(/missing|broken|error/);
		expect(await readdir(join(s.state, 'worktrees'))).toEqual([]);
		expect(await readdir(join(s.state, 'clones'))).toEqual([]);
	});

	it('that cannot be removed is reported, and nothing beside it is touched [G03]', async (context) => {
		await using s = await situation(template.folder);
		const workspace = await s.open();
		const tree = await workspace.materialize('generic_exp_0');
		const pinned = join(tree.path, 'folder/b.txt');
		const { spawnSync } = await import('node:child_process');
		if (spawnSync('chattr', ['+i', pinned]).status !== 0) context.skip('this file system pins no file');
		try {
			const before = await rootFiles(s);
			await expect(tree[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'WORKTREE_NOT_REMOVED' });
			expect(existsSync(pinned)).toBe(true);
			expect(await rootFiles(s)).toEqual(before);
		} finally {
			spawnSync('chattr', ['-i', pinned]);
		}
		await writeFile(`${tree.path}.owner.json`, JSON.stringify(deadProcess()));
		const next = await s.open();
		expect(next.repairs).toEqual([`removed the folder ${tree.path} that a killed engine left`]);
		expect(await readdir(join(s.state, 'worktrees'))).toEqual([]);
	});
});

describe('the user’s repository', () => {
	it('keeps its stash, which no clone sees [E56]', async () => {
		await using s = await situation(template.folder);
		await writeFile(join(s.output, 'a.txt'), 'half an idea\n');
		await git(s.output, 'stash', '--quiet');
		const stash = await git(s.output, 'rev-parse', 'stash@{0}');
		const workspace = await s.open();
		const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() });
		expect(await git(clone.folder, 'stash', 'list')).toBe('');
		await writeFile(join(clone.folder, 'a.txt'), 'an agent’s\n');
		await git(clone.folder, 'stash', '--quiet');
		await workspace.finalise({ clone, parentCommit: workspace.mainCommit, branch: 'generic_exp_1', message: 'm' });
		await workspace.checkout('generic_exp_0');
		expect(await git(s.output, 'rev-parse', 'stash@{0}')).toBe(stash);
		expect((await git(s.output, 'stash', 'list')).split('\n')).toHaveLength(1);
	});

	it('keeps what is staged through a switch [G62]', async () => {
		await using s = await situation(template.folder);
		const workspace = await s.open();
		await writeFiles(s.output, { 'staged.txt': 'staged\n' });
		await git(s.output, 'add', 'staged.txt');
		await writeFiles(s.output, { 'staged.txt': 'and edited since\n' });
		await workspace.checkout('generic_exp_0');
		expect(await git(s.output, 'show', ':staged.txt')).toBe('staged');
		expect(await readFile(join(s.output, 'staged.txt'), 'utf8')).toBe('and edited since\n');
	});

	it('may have a candidate checked out elsewhere: that is said, not worked around [G23]', async () => {
		await using s = await situation(template.folder);
		const workspace = await s.open();
		await git(s.output, 'worktree', 'add', '--quiet', join(s.folder, 'theirs'), 'generic_exp_0');
		const error = await workspace.checkout('generic_exp_0').catch((thrown) => thrown);
		expect(error).toMatchObject({ code: 'CHECKOUT_REFUSED', data: { reason: 'checked-out-elsewhere' } });
		expect(await git(s.output, 'branch', '--show-current')).toBe('main');
		await using tree = await workspace.materialize('generic_exp_0');
		expect(await readFile(join(tree.path, 'a.txt'), 'utf8')).toBe('candidate\n');
	});

	it('may have a worktree whose HEAD names no commit: everything still works [G72]', async () => {
		await using s = await situation(template.folder);
		await git(s.output, 'worktree', 'add', '--quiet', '--detach', join(s.folder, 'theirs'));
		await git(join(s.folder, 'theirs'), 'symbolic-ref', 'HEAD', 'refs/heads/unborn');
		const workspace = await s.open();
		await candidate(s, workspace, { branch: 'generic_exp_1', files: { 'a.txt': 'next\n' } });
		await using tree = await workspace.materialize('generic_exp_1');
		expect(await readFile(join(tree.path, 'a.txt'), 'utf8')).toBe('next\n');
		await workspace.checkout('generic_exp_1');
		expect(existsSync(join(s.output, '.git/FETCH_HEAD'))).toBe(false);
	});

	it('is a seed that is only read: no object, no ref and no index entry appears in it [G48]', async () => {
		await using s = await situation();
		const seed = join(s.folder, 'seed');
		await createRepository(seed, { 'a.txt': 'a\n' });
		await writeFiles(seed, { 'a.txt': 'edited\n', 'new.txt': 'new\n' });
		const before = await readFiles(seed);
		const workspace = await s.open({ seed, includeUncommitted: true });
		await candidate(s, workspace, { branch: 'generic_exp_0', files: { 'a.txt': 'candidate\n' } });
		expect(await readFiles(seed)).toEqual(before);
		const refs = (await git(s.output, 'for-each-ref', '--format=%(refname)')).split('\n');
		expect(refs.every((name) => /^refs\/(heads|kapso)\//.test(name))).toBe(true);
		expect(await git(s.output, 'fsck', '--unreachable')).toBe('');
	});

	it('is never a whole home folder or disk [G47]', async () => {
		await using s = await situation();
		const home = join(s.folder, 'home');
		await writeFiles(home, { 'a.txt': 'a' });
		for (const seed of [home, '/']) {
			const opened = s.open({ seed });
			await expect(opened).rejects.toMatchObject({ code: expect.stringMatching(/^SEED_(TOO_BROAD|CONTAINS_OUTPUT)$/) });
		}
		expect(existsSync(s.output)).toBe(false);
	});
});

it('lets eight engines open one state folder at once: the file that they share is whole [G18]', async () => {
	await using s = await situation(template.folder);
	await rm(join(s.state, 'gitconfig'));
	const opened = await Promise.all(Array.from({ length: 8 }, () => s.open({ checkoutMain: false })));
	expect(await readFile(join(s.state, 'gitconfig'), 'utf8')).toBe('[safe]\n\tdirectory = *\n');
	for (const workspace of opened) expect(await workspace.resolve('main')).toBe(opened[0]!.mainCommit);
});

it('reads with isomorphic-git beside a Git that writes, and changes nothing by reading [G64, G68, E51]', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	const reader = await createIsomorphicReader({ gitDir: workspace.gitDir });
	const objects = join(s.output, '.git');
	const writing = candidate(s, workspace, { branch: 'generic_exp_1', files: { 'a.txt': 'while reading\n' } });
	for (let round = 0; round < 10; round++) {
		const commit = await workspace.resolve('generic_exp_0');
		expect((await reader.readCommit(commit)).tree).toBe((await workspace.objects.readCommit(commit)).tree);
	}
	const { commit } = await writing;
	const before = await readFiles(objects);
	expect((await reader.listTree(commit)).map(({ path }) => path.toString())).toEqual([
		'.gitignore',
		'a.txt',
		'folder/b.txt',
	]);
	expect(await readFiles(objects)).toEqual(before);
});

it('sets up its own tests’ repositories whatever GIT_ variables it is started under [G77]', async () => {
	await using s = await situation();
	const outside = join(s.folder, 'outside');
	await createRepository(outside, { 'a.txt': 'a' });
	const before = await readFiles(outside);
	process.env.GIT_DIR = join(outside, '.git');
	try {
		expect(Object.keys(gitEnvironment())).not.toContain('GIT_DIR');
		await mkdir(join(s.folder, 'inside'));
		await createRepository(join(s.folder, 'inside'), { 'b.txt': 'b' });
	} finally {
		delete process.env.GIT_DIR;
	}
	expect(await readFiles(outside)).toEqual(before);
	expect(await git(join(s.folder, 'inside'), 'rev-parse', '--is-bare-repository')).toBe('false');
});
