import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepository, git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { bytes, situation } from './situation.ts';

it('runs one iteration: clone, work, finalise, digest, materialise, deliver', async () => {
	await using s = await situation();
	const seed = join(s.folder, 'seed');
	await createRepository(seed, { 'main.py': 'print(1)\n', 'run.sh': { executable: '#!/bin/sh\n' } }, 'master');
	const workspace = await s.open({ seed });
	const base = await workspace.commitFiles({
		files: [{ path: 'kapso_evaluation/score.py', mode: '100644', bytes: bytes('score\n') }],
		replaceFolders: ['kapso_evaluation'],
		message: 'Evaluation suite',
	});
	expect(await readFile(join(s.output, 'kapso_evaluation/score.py'), 'utf8')).toBe('score\n');
	expect(await git(s.output, 'status', '--porcelain')).toBe('');

	const clone = await workspace.createAgentClone({ commit: base, folder: s.clone() });
	await writeFiles(clone.folder, { 'main.py': 'print(2)\n', 'notes/ä.txt': 'new\n' });
	await rm(join(clone.folder, 'run.sh'));
	const working = await workspace.workingTree(clone);
	expect((await working.entries()).map(({ path }) => path)).toEqual([
		'kapso_evaluation/score.py',
		'main.py',
		'notes/ä.txt',
	]);
	expect(Buffer.from(await working.read('main.py')).toString()).toBe('print(2)\n');

	const finalised = await workspace.finalise({
		clone,
		parentCommit: base,
		branch: 'generic_exp_0',
		message: 'Candidate 0',
		memory: { path: '.kapso/repo_memory.json', bytes: bytes('{}\n') },
	});
	if (finalised.status !== 'committed') throw new Error('nothing was committed');
	expect(finalised).toMatchObject({ branch: 'generic_exp_0', ignored: [], archive: null, notes: [] });
	expect(finalised.codeCommit).not.toBe(finalised.commit);
	expect(await workspace.resolve('generic_exp_0')).toBe(finalised.commit);
	expect(await workspace.isAncestor(base, finalised.commit)).toBe(true);
	expect(await workspace.changedPaths(base, finalised.codeCommit)).toEqual(['main.py', 'notes/ä.txt', 'run.sh']);
	expect(await workspace.diff(base, finalised.codeCommit)).toContain('+print(2)');
	expect(await workspace.treeDigest(finalised.commit)).toBe(finalised.treeDigest);

	const plain = join(s.state, 'plain');
	await workspace.materializeTree(finalised.commit, {
		to: plain,
		exclude: (path) => path.startsWith('kapso_evaluation/') || path.startsWith('.kapso/'),
	});
	expect(await readFiles(plain)).toEqual({ 'main.py': '644 print(2)\n', 'notes/ä.txt': '644 new\n' });

	let path: string;
	{
		await using materialized = await workspace.materialize(finalised.commit);
		path = materialized.path;
		expect(await readFile(join(path, 'main.py'), 'utf8')).toBe('print(2)\n');
		expect(await readFile(join(s.output, 'main.py'), 'utf8')).toBe('print(1)\n');
	}
	expect(existsSync(path)).toBe(false);
	expect(await git(s.output, 'worktree', 'list')).not.toContain(path);

	await workspace.removeClone(clone);
	expect(existsSync(clone.folder)).toBe(false);
	expect(await workspace.checkoutBest({ branch: 'generic_exp_0', commit: finalised.commit })).toEqual({
		ref: 'generic_exp_0',
		commit: finalised.commit,
	});
	expect(await git(s.output, 'branch', '--show-current')).toBe('generic_exp_0');
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
	expect([...(await workspace.branches()).keys()].sort()).toEqual(['generic_exp_0', 'main', 'master']);
	await workspace.close();
	expect((await readdir(s.state)).filter((name) => name.startsWith('engine-'))).toEqual([]);
});

it('starts a fresh folder on main with an empty commit [A1]', async () => {
	await using s = await situation();
	await mkdir(join(s.output, '.kapso'), { recursive: true });
	const workspace = await s.open();
	expect(workspace).toMatchObject({ created: true, repairs: [], seed: { kind: 'none', commit: null } });
	expect(await git(s.output, 'branch', '--show-current')).toBe('main');
	expect(await git(s.output, 'rev-parse', 'main')).toBe(workspace.mainCommit);
	const again = await s.open();
	expect(again).toMatchObject({ created: false, repairs: [], mainCommit: workspace.mainCommit });
});
