import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { currentProcess } from '@kapso-evolve/process';
import { createRepository, git, gitEnvironment, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deadProcess, type Situation, situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

let template: Situation;
const odd = '-dash :colon *star ü.txt';
beforeAll(async () => {
	template = await situation();
	await createRepository(join(template.folder, 'seed'), {
		'.gitattributes': '*.txt text eol=crlf\nsecret.txt export-ignore\n',
		'a.txt': 'main\n',
		'secret.txt': 'kept\n',
		'run.sh': { executable: '#!/bin/sh\n' },
		'sub/link': { link: '../a.txt' },
		[odd]: 'odd\n',
	});
	const workspace = await template.open({ seed: join(template.folder, 'seed') });
	await candidate(template, workspace, { branch: 'generic_exp_0', files: { 'a.txt': 'candidate\n' } });
	await workspace.close();
});
afterAll(() => template[Symbol.asyncDispose]());

const exact = {
	'.gitattributes': '644 *.txt text eol=crlf\nsecret.txt export-ignore\n',
	'a.txt': '644 candidate\n',
	'secret.txt': '644 kept\n',
	'run.sh': '755 #!/bin/sh\n',
	'sub/link': 'link ../a.txt',
	[odd]: '644 odd\n',
};

it('shows exactly the candidate while the root stays on main, and leaves nothing [A7, M106, T071]', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	const root = await readFiles(s.output, (path) => path === '.git');
	const tree = await workspace.materialize('generic_exp_0');
	expect(await readFiles(tree.path, (path) => path === '.git')).toEqual(exact);
	expect(await git(tree.path, 'status', '--porcelain')).toBe('');
	expect(await git(s.output, 'branch', '--show-current')).toBe('main');
	await tree[Symbol.asyncDispose]();
	await tree[Symbol.asyncDispose]();
	expect(existsSync(tree.path)).toBe(false);
	expect(await readFiles(s.output, (path) => path === '.git')).toEqual(root);
	expect((await git(s.output, 'worktree', 'list')).split('\n')).toHaveLength(1);
	expect(await git(s.output, 'branch', '--show-current')).toBe('main');
});

it('refuses an unknown ref [A8]', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	await expect(workspace.materialize('nowhere')).rejects.toThrow('Unknown Git ref: nowhere');
	await expect(workspace.materialize('--help')).rejects.toMatchObject({ code: 'UNKNOWN_REF' });
});

it('gives twenty worktrees at once, each its own and right, where git alone would trip [E53, G73]', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	const refs = Array.from({ length: 20 }, (_, number) => (number % 2 === 0 ? 'main' : 'generic_exp_0'));
	const trees = await Promise.all(refs.map((ref) => workspace.materialize(ref)));
	expect(new Set(trees.map(({ path }) => path)).size).toBe(20);
	for (const [number, tree] of trees.entries()) {
		expect(await readFile(join(tree.path, 'a.txt'), 'utf8')).toBe(number % 2 === 0 ? 'main\n' : 'candidate\n');
	}
	await Promise.all(trees.map((tree) => tree[Symbol.asyncDispose]()));
	expect(await readdir(join(s.state, 'worktrees'))).toEqual([]);
	expect((await git(s.output, 'worktree', 'list')).split('\n')).toHaveLength(1);
});

it('keeps a commit that was made inside before it removes the worktree [G02, G51]', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	const tree = await workspace.materialize('generic_exp_0');
	await writeFile(join(tree.path, 'found.txt'), 'made by an evaluator\n');
	await git(tree.path, 'add', 'found.txt');
	await git(tree.path, 'commit', '--quiet', '--message', 'inside');
	const head = await git(tree.path, 'rev-parse', 'HEAD');
	await tree[Symbol.asyncDispose]();
	expect(await git(s.output, 'for-each-ref', '--format=%(objectname)', 'refs/kapso/rescue')).toBe(head);
	expect(existsSync(tree.path)).toBe(false);
});

it('removes a worktree whose .git, or which itself, was damaged by what ran there [G09, G76]', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	const damages = [
		(path: string) => rm(join(path, '.git')),
		(path: string) => rm(path, { recursive: true }),
		(path: string) => writeFile(join(path, '.git'), `gitdir: ${s.output}/.git\n`),
	];
	for (const damage of damages) {
		const tree = await workspace.materialize('generic_exp_0');
		await damage(tree.path);
		await tree[Symbol.asyncDispose]();
		expect(existsSync(tree.path)).toBe(false);
	}
	expect((await git(s.output, 'worktree', 'list')).split('\n')).toHaveLength(1);
	expect(await readFile(join(s.output, 'a.txt'), 'utf8')).toBe('main\n');
});

it('follows no link out of a worktree when it removes it [G16, G79]', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	await writeFiles(s.folder, { 'precious/file.txt': 'precious\n' });
	const tree = await workspace.materialize('generic_exp_0');
	await symlink(join(s.folder, 'precious'), join(tree.path, 'link'));
	await tree[Symbol.asyncDispose]();
	expect(await readFile(join(s.folder, 'precious/file.txt'), 'utf8')).toBe('precious\n');
	const swapped = await workspace.materialize('generic_exp_0');
	await rm(swapped.path, { recursive: true });
	await symlink(join(s.folder, 'precious'), swapped.path);
	await swapped[Symbol.asyncDispose]();
	expect(await readFile(join(s.folder, 'precious/file.txt'), 'utf8')).toBe('precious\n');
});

it('sweeps what a killed engine left, and nothing of anybody else’s [E54, G06, G07, G27, G29]', async () => {
	await using s = await situation(template.folder);
	const first = await s.open();
	const add = async (path: string, reason: string | null, owner: object | null) => {
		const lock = reason === null ? [] : ['--lock', '--reason', reason];
		await git(s.output, 'worktree', 'add', '--quiet', '--detach', ...lock, path);
		if (owner !== null) await writeFile(`${path}.owner.json`, JSON.stringify(owner));
	};
	const below = join(s.state, 'worktrees');
	await add(join(below, 'dead'), 'kapso dead', deadProcess());
	await add(join(below, 'torn'), 'initializing', deadProcess());
	await rm(join(below, 'torn/.git'));
	await add(join(below, 'alive'), 'kapso alive', currentProcess());
	await add(join(below, 'being made'), 'initializing', currentProcess());
	await add(join(below, 'other'), 'the user’s own', null);
	await add(join(below, 'unlocked'), null, null);
	await add(join(s.folder, 'theirs'), 'kapso x', deadProcess());
	await first.close();
	const workspace = await s.open();
	expect(workspace.repairs).toHaveLength(2);
	expect((await readdir(join(s.state, 'worktrees'))).sort()).toEqual([
		'alive',
		'alive.owner.json',
		'being made',
		'being made.owner.json',
		'other',
		'unlocked',
	]);
	expect(existsSync(join(s.folder, 'theirs/a.txt'))).toBe(true);
});

it('sweeps the scratch of a dead engine and leaves that of a living one', async () => {
	await using s = await situation(template.folder);
	const living = await s.open();
	await writeFiles(s.state, {
		'engine-4190000-x/owner.json': JSON.stringify(deadProcess()),
		'engine-4190000-y/no-owner-yet': '',
		'engine-4190000-z/owner.json': '{"pid":',
	});
	await s.open();
	const left = (await readdir(s.state)).filter((name) => name.startsWith('engine-'));
	expect(left).toHaveLength(4);
	expect(left).not.toContain('engine-4190000-x');
	expect(await living.candidateTree(living.mainCommit).entries()).toHaveLength(6);
});

it('waits for a git that outlived its engine before it sweeps what that is making', async () => {
	await using s = await situation(template.folder);
	const path = join(s.state, 'worktrees', 'late');
	await writeFiles(s.state, { 'worktrees/late.owner.json': JSON.stringify(deadProcess()) });
	const script = 'sleep 0.7; exec git -C "$1" worktree add --quiet --detach --lock --reason "kapso late" "$2"';
	const late = spawn('sh', ['-c', script, 'sh', s.output, path], { env: gitEnvironment(), stdio: 'ignore' });
	const ended = new Promise((resolve) => late.on('close', resolve));
	await s.open();
	expect(await ended).toBe(0);
	expect(await readdir(join(s.state, 'worktrees'))).toEqual([]);
	expect((await git(s.output, 'worktree', 'list')).split('\n')).toHaveLength(1);
});

it('sweeps files that a killed engine was just writing', async () => {
	await using s = await situation(template.folder);
	const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
	const name = `.kapso-temporary-1-1@1-00000000-${host}-000000000000`; // of an earlier start of this machine
	const folders = [s.state, join(s.state, 'worktrees'), join(s.output, '.git/kapso')];
	for (const folder of folders) await writeFiles(folder, { [name]: 'half' });
	await s.open();
	for (const folder of folders) expect(await readdir(folder)).not.toContain(name);
});

it('writes a plain folder without .git, from the blobs, without what is excluded', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	const to = join(s.state, 'plain ü');
	await workspace.materializeTree(await workspace.resolve('generic_exp_0'), { to });
	expect(await readFiles(to)).toEqual(exact);
	const part = join(s.state, 'part');
	await workspace.materializeTree(await workspace.resolve('generic_exp_0'), {
		to: part,
		exclude: (path) => path !== odd,
	});
	expect(await readFiles(part)).toEqual({ [odd]: '644 odd\n' });
	const nothing = join(s.state, 'nothing');
	await workspace.materializeTree(workspace.mainCommit, { to: nothing, exclude: () => true });
	expect(await readdir(nothing)).toEqual([]);
	const again = workspace.materializeTree(workspace.mainCommit, { to: part });
	await expect(again).rejects.toMatchObject({ code: 'FOLDER_NOT_EMPTY' });
});

it('refuses links that leave a plain folder before it writes anything', async () => {
	await using s = await situation(template.folder);
	const workspace = await s.open();
	const { commit } = await candidate(s, workspace, {
		branch: 'generic_exp_1',
		files: {
			absolute: { link: '/etc/passwd' },
			'sub/up': { link: '../../outside' },
			'sub/fine': { link: '../a.txt' },
			'sub/also': { link: './deeper/../../a.txt' },
		},
	});
	const to = join(s.state, 'plain');
	const error = await workspace.materializeTree(commit, { to }).catch((thrown) => thrown);
	expect(error).toMatchObject({ code: 'TREE_PATH_POLICY', data: { paths: ['absolute', 'sub/up'] } });
	expect(existsSync(to)).toBe(false);
	await workspace.materializeTree(commit, { to, exclude: (path) => ['absolute', 'sub/up'].includes(path) });
	expect((await lstat(join(to, 'sub/fine'))).isSymbolicLink()).toBe(true);
});

it('reads the same bytes whatever the campaign’s repository was told since', async () => {
	await using s = await situation(template.folder);
	await git(s.output, 'config', 'core.sparseCheckout', 'true');
	await writeFile(join(s.output, '.git/info/sparse-checkout'), '/nothing\n');
	await git(s.output, 'config', 'core.autocrlf', 'true');
	await git(s.output, 'config', 'filter.x.smudge', 'echo forged');
	await writeFile(join(s.output, '.git/info/attributes'), '* filter=x\n');
	const blob = await git(s.output, 'rev-parse', 'generic_exp_0:a.txt');
	const other = await git(s.output, 'rev-parse', 'main:a.txt');
	await git(s.output, 'replace', blob, other);
	await mkdir(join(s.output, '.git/hooks'), { recursive: true });
	await writeFile(join(s.output, '.git/hooks/post-checkout'), '#!/bin/sh\necho forged > a.txt\nexit 1\n');
	await chmod(join(s.output, '.git/hooks/post-checkout'), 0o755);
	const workspace = await s.open();
	await using tree = await workspace.materialize('generic_exp_0');
	expect(await readFiles(tree.path, (path) => path === '.git')).toEqual(exact);
	const to = join(s.state, 'plain');
	await workspace.materializeTree(tree.commit, { to });
	expect(await readFiles(to)).toEqual(exact);
	const read = await workspace.candidateTree(tree.commit).read('a.txt');
	expect(Buffer.from(read).toString()).toBe('candidate\n');
});
