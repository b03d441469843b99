import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { createRepository, git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deadProcess, type Situation, situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

let template: Situation;
let main: string;
let best: string;
beforeAll(async () => {
	template = await situation();
	const files: Record<string, string> = {
		'a.txt': 'main a\n',
		'gone.txt': 'gone\n',
		'was-file': 'file\n',
		'same.txt': 's\n',
	};
	await createRepository(join(template.folder, 'seed'), { ...files, 'was-folder/x.txt': 'x\n' });
	const workspace = await template.open({ seed: join(template.folder, 'seed') });
	({ commit: best } = await candidate(template, workspace, {
		branch: 'generic_exp_0',
		files: {
			'a.txt': 'candidate a, a longer text\n',
			'gone.txt': null,
			'new/deep.txt': 'deep\n',
			'was-file': null,
			'was-file/now.txt': 'now\n',
			'was-folder/x.txt': null,
			'was-folder': 'now a file\n',
		},
	}));
	main = workspace.mainCommit;
	await workspace.close();
});
afterAll(() => template[Symbol.asyncDispose]());

/** A campaign whose engine was killed during a switch from main to the candidate, in the state that `make` leaves. */
async function killed(make: (root: string) => Promise<unknown>): Promise<Situation> {
	const s = await situation(template.folder);
	const writer = deadProcess();
	await mkdir(join(s.output, '.git/kapso'), { recursive: true });
	await writeFile(
		join(s.output, '.git/kapso/switch.json'),
		JSON.stringify({ schema_version: 1, from: main, to: best, writer }),
	);
	await make(s.output);
	return s;
}

const mainFiles = {
	'a.txt': '644 main a\n',
	'gone.txt': '644 gone\n',
	'same.txt': '644 s\n',
	'was-file': '644 file\n',
	'was-folder/x.txt': '644 x\n',
};
const files = (s: Situation) => readFiles(s.output, (path) => path === '.git');

const interrupted: Readonly<Record<string, (root: string) => Promise<unknown>>> = {
	'before the first file': async () => {},
	'with a stale index lock': (root) => writeFile(join(root, '.git/index.lock'), ''),
	'with a torn write': (root) => writeFile(join(root, 'a.txt'), 'candidate a, a lo'),
	'with files of both sides': async (root) => {
		await rm(join(root, 'gone.txt'));
		await rm(join(root, 'was-folder'), { recursive: true });
		await writeFiles(root, { 'new/deep.txt': 'deep\n', 'a.txt': '', 'was-folder': 'now a' });
		await writeFile(join(root, '.git/index.lock'), 'torn');
	},
	'after the index, before HEAD': async (root) => {
		await git(root, 'read-tree', '--reset', '-u', best);
		await writeFile(join(root, '.git/HEAD.lock'), '');
	},
};

it.for(Object.entries(interrupted))('takes back a checkout that was killed %s', async ([, make]) => {
	await using s = await killed(make);
	const workspace = await s.open();
	expect(workspace.repairs).toEqual([`took back the checkout of ${best} that was interrupted`]);
	expect(await files(s)).toEqual(mainFiles);
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
	expect(existsSync(join(s.output, '.git/kapso/switch.json'))).toBe(false);
	await workspace.checkout('generic_exp_0');
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
});

it('finishes a checkout that was killed after HEAD had moved', async () => {
	await using s = await killed((root) => git(root, 'switch', '--quiet', 'generic_exp_0'));
	const workspace = await s.open({ checkoutMain: false });
	expect(workspace.repairs).toEqual([`finished the checkout of ${best} that was interrupted`]);
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
	expect(await git(s.output, 'rev-parse', 'HEAD')).toBe(best);
});

it('keeps staged work of the user’s on other paths while it takes back a checkout', async () => {
	await using s = await killed(async (root) => {
		await writeFiles(root, { 'mine.txt': 'mine\n', 'same.txt': 'edited\n' });
		await git(root, 'add', 'mine.txt');
		await writeFile(join(root, 'a.txt'), 'candidate a');
	});
	await s.open();
	expect(await git(s.output, 'status', '--porcelain')).toBe('A  mine.txt\n M same.txt');
});

it('stops at a file that neither commit explains, touches nothing and still opens [G56]', async () => {
	await using s = await killed(async (root) => {
		await rm(join(root, 'gone.txt'));
		await writeFile(join(root, 'a.txt'), 'the user was here\n');
	});
	const before = await files(s);
	const workspace = await s.open();
	expect(workspace.repairs).toEqual([expect.stringMatching(/^left as it is: .*unfinished-switch\): a\.txt/)]);
	expect(await files(s)).toEqual(before);
	const error = await workspace.checkout('generic_exp_0').catch((thrown: unknown) => thrown as KapsoError);
	expect(error).toMatchObject({ code: 'CHECKOUT_REFUSED', data: { reason: 'unfinished-switch', paths: ['a.txt'] } });
	expect(await files(s)).toEqual(before);
});

it('leaves a lock that is older than the interrupted checkout, and says so', async () => {
	await using s = await killed(async (root) => {
		await writeFile(join(root, '.git/index.lock'), '');
		await utimes(join(root, '.git/index.lock'), new Date(2020, 1, 1), new Date(2020, 1, 1));
	});
	const workspace = await s.open();
	expect(workspace.repairs[0]).toMatch(/^left as it is: .*locked/);
	expect(existsSync(join(s.output, '.git/index.lock'))).toBe(true);
});

it('waits for a git that outlived its engine', async () => {
	await using s = await killed(async () => {});
	const lock = join(s.output, '.git/index.lock');
	const holder = spawn('sh', ['-c', 'exec 9>"$1"; sleep 0.7; rm "$1"', 'sh', lock], { stdio: 'ignore' });
	while (!existsSync(lock)) await new Promise((resolve) => setTimeout(resolve, 5));
	const workspace = await s.open();
	expect(workspace.repairs).toEqual([`took back the checkout of ${best} that was interrupted`]);
	expect(holder.exitCode === null || holder.exitCode === 0).toBe(true);
});

it('forgets an interrupted checkout that the user has overtaken', async () => {
	await using s = await killed(async (root) => {
		await git(root, 'commit', '--quiet', '--allow-empty', '--message', 'the user’s');
	});
	const workspace = await s.open();
	expect(workspace.repairs).toEqual([expect.stringContaining('was overtaken')]);
});

it('does not guess when the record itself is damaged', async () => {
	await using s = await killed((root) => writeFile(join(root, '.git/kapso/switch.json'), '{'));
	const error = await s.open().catch((thrown: unknown) => thrown as KapsoError);
	expect(error).toMatchObject({ code: 'SWITCH_INTENT_CORRUPT' });
	expect(KapsoError.isInstance(error)).toBe(true);
});

it('fills a campaign that was killed between its creation and its first files', async () => {
	await using s = await situation(template.folder);
	const writer = deadProcess();
	await writeFile(
		join(s.output, '.git/kapso/switch.json'),
		JSON.stringify({ schema_version: 1, from: null, to: main, writer }),
	);
	await rm(join(s.output, '.git/index'));
	for (const name of ['a.txt', 'gone.txt', 'was-folder']) await rm(join(s.output, name), { recursive: true });
	const workspace = await s.open();
	expect(workspace.repairs).toEqual([`finished the checkout of ${main} that was interrupted`]);
	expect(await files(s)).toEqual(mainFiles);
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
});

it('takes back what a failing git had already changed, and removes no lock of another program', async () => {
	await using s = await situation(template.folder);
	const real = (await readFile('/proc/self/environ', 'utf8')) && process.env.PATH!;
	// A git whose `switch` does its work on the files and the index and then fails, as with a HEAD lock.
	await writeFiles(s.folder, {
		'bin/git': {
			executable: `#!/bin/sh
PATH='${real}'
for word do case "$word" in
	switch) for last do :; done; git -C '${s.output}' read-tree --reset -u "$last"; echo broken >&2; exit 128;;
esac; done
exec git "$@"
`,
		},
	});
	const workspace = await s.open({ userEnvironment: { PATH: `${join(s.folder, 'bin')}:${real}` } });
	const error = await workspace.checkout('generic_exp_0').catch((thrown: unknown) => thrown as KapsoError);
	expect(error).toMatchObject({ code: 'CHECKOUT_REFUSED', data: { reason: 'git-refused', status: [] } });
	expect(await files(s)).toEqual(mainFiles);
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
});

it('takes back what a failing git wrote from a branch without a commit', async () => {
	await using s = await situation(template.folder);
	const real = process.env.PATH!;
	await writeFiles(s.folder, {
		'bin/git': {
			executable: `#!/bin/sh
case " $* " in *' switch '*) : > '${s.output}/.git/HEAD.lock';; esac
PATH='${real}' exec git "$@"
`,
		},
	});
	const workspace = await s.open({ userEnvironment: { PATH: `${join(s.folder, 'bin')}:${real}` } });
	await git(s.output, 'symbolic-ref', 'HEAD', 'refs/heads/unborn');
	await git(s.output, 'rm', '--quiet', '--cached', 'gone.txt', 'a.txt', 'was-file', 'was-folder/x.txt');
	for (const path of ['gone.txt', 'a.txt', 'was-file', 'was-folder'])
		await rm(join(s.output, path), { recursive: true });
	const error = await workspace.checkout('generic_exp_0').catch((thrown: unknown) => thrown as KapsoError);
	expect(error).toMatchObject({ code: 'CHECKOUT_REFUSED', data: { reason: 'git-refused' } });
	expect(await files(s)).toEqual({ 'same.txt': '644 s\n' });
	expect(await git(s.output, 'ls-files')).toBe('same.txt');
});
