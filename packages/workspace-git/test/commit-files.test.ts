import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepository, git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { bytes, type Situation, situation } from './situation.ts';

const file = (path: string, text: string) => ({ path, mode: '100644' as const, bytes: bytes(text) });
const files = (s: Situation) => readFiles(s.output, (path) => path === '.git');

it('replaces a folder on main as one commit, and the work tree follows', async () => {
	await using s = await situation();
	await createRepository(join(s.folder, 'seed'), {
		'suite/old.py': 'old',
		'suite/kept.py': 'kept',
		'suite.txt': 'beside',
	});
	const workspace = await s.open({ seed: join(s.folder, 'seed') });
	const change = {
		files: [
			file('suite/kept.py', 'kept'),
			file('suite/ü/new.py', 'new'),
			{ ...file('suite/run.sh', 'x'), mode: '100755' as const },
		],
		replaceFolders: ['suite'],
		message: 'Suite',
	};
	const commit = await workspace.commitFiles(change);
	expect(await workspace.resolve('main')).toBe(commit);
	expect(await workspace.changedPaths(workspace.mainCommit, commit)).toEqual([
		'suite/old.py',
		'suite/run.sh',
		'suite/ü/new.py',
	]);
	expect(await files(s)).toEqual({
		'suite.txt': '644 beside',
		'suite/kept.py': '644 kept',
		'suite/run.sh': '755 x',
		'suite/ü/new.py': '644 new',
	});
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
	expect(await git(s.output, 'branch', '--show-current')).toBe('main');
	expect(await workspace.commitFiles(change)).toBe(commit);
});

it('takes nothing of the user’s into its commit, staged or not [D9]', async () => {
	await using s = await situation();
	await createRepository(join(s.folder, 'seed'), { 'a.txt': 'a' });
	const workspace = await s.open({ seed: join(s.folder, 'seed') });
	await writeFiles(s.output, { 'a.txt': 'edited', 'staged.txt': 'staged', 'untracked.txt': 'untracked' });
	await git(s.output, 'add', 'staged.txt');
	const commit = await workspace.commitFiles({
		files: [file('suite/x.py', 'x')],
		replaceFolders: [],
		message: 'Suite',
	});
	expect(await workspace.changedPaths(workspace.mainCommit, commit)).toEqual(['suite/x.py']);
	expect(await git(s.output, 'status', '--porcelain')).toBe('M a.txt\nA  staged.txt\n?? untracked.txt');
});

it('is refused where it would overwrite a file of the user’s, and main stays [G13]', async () => {
	await using s = await situation();
	const workspace = await s.open();
	await writeFiles(s.output, { 'suite/x.py': 'mine' });
	const refused = workspace.commitFiles({ files: [file('suite/x.py', 'x')], replaceFolders: [], message: 'Suite' });
	await expect(refused).rejects.toMatchObject({ code: 'CHECKOUT_REFUSED', data: { paths: ['suite/x.py'] } });
	expect(await workspace.resolve('main')).toBe(workspace.mainCommit);
	expect(await git(s.output, 'branch', '--show-current')).toBe('main');
	expect(await files(s)).toEqual({ 'suite/x.py': '644 mine' });
});

it('refuses a path that git would skip in silence [G42]', async () => {
	await using s = await situation();
	const workspace = await s.open();
	for (const path of ['../x', '.git/config', 'a//b', '/etc/x']) {
		const refused = workspace.commitFiles({ files: [file(path, 'x')], replaceFolders: [], message: 'm' });
		await expect(refused).rejects.toMatchObject({ code: 'GIT_FAILED' });
	}
	expect(await workspace.resolve('main')).toBe(workspace.mainCommit);
});

it('moves main only, when another branch is current', async () => {
	await using s = await situation();
	const workspace = await s.open();
	await git(s.output, 'switch', '--quiet', '--create', 'mine');
	await writeFile(join(s.output, 'mine.txt'), 'mine');
	const commit = await workspace.commitFiles({ files: [file('x.py', 'x')], replaceFolders: [], message: 'm' });
	expect(await workspace.resolve('main')).toBe(commit);
	expect(await git(s.output, 'branch', '--show-current')).toBe('mine');
	expect(await files(s)).toEqual({ 'mine.txt': '644 mine' });
});

it('is redone after a kill between the files and the branch', async () => {
	await using s = await situation();
	const first = await s.open();
	const change = { files: [file('x.py', 'x')], replaceFolders: [], message: 'm' };
	const commit = await first.commitFiles(change);
	await first.close();
	await git(s.output, 'switch', '--quiet', '--detach');
	await git(s.output, 'branch', '--force', 'main', first.mainCommit);
	const workspace = await s.open();
	expect(workspace.mainCommit).toBe(first.mainCommit);
	expect(await files(s)).toEqual({});
	expect(await workspace.commitFiles(change)).toBe(commit);
	expect(await files(s)).toEqual({ 'x.py': '644 x' });
});
