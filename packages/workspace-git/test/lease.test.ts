import { existsSync } from 'node:fs';
import { chmod, link, lstat, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepository, type FileContent, git, readFiles, temporaryFolder } from '@kapso-evolve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Situation, situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

/** A campaign with `main` and the candidates `one` and `two`, made once. */
const files: Record<string, FileContent> = {
	...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`d${n % 6}/deep/f${n}.txt`, `file ${n}\n`])),
	'run.sh': { executable: '#!/bin/sh\n' },
	empty: '',
	alias: { link: 'd0/deep/f0.txt' },
	'kapso_evaluation/secret.txt': 'the caller’s\n',
};
const one: Record<string, FileContent | null> = {
	'd0/deep/f0.txt': 'changed\n',
	d1: 'was a folder\n',
	'run.sh': '#!/bin/sh\n',
	empty: { executable: '' },
	'new/folder/ü.txt': 'new\n',
};
const two: Record<string, FileContent | null> = {
	'd0/deep/f6.txt': null,
	alias: 'was a link\n',
	'd2/deep': { link: '../d3' },
};

let template: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
	template = await temporaryFolder();
	await using s = await situation();
	await createRepository(join(s.folder, 'seed'), files);
	const workspace = await s.open({ seed: join(s.folder, 'seed') });
	await candidate(s, workspace, { branch: 'one', files: one });
	await candidate(s, workspace, { branch: 'two', files: two });
	await workspace.close();
	await rename(s.output, join(template.path, 'out put ü'));
});
afterAll(() => template[Symbol.asyncDispose]());

const exclude = (path: string) => path.startsWith('kapso_evaluation/');

async function opened(): Promise<
	{ s: Situation; workspace: Awaited<ReturnType<Situation['open']>> } & AsyncDisposable
> {
	const s = await situation(template.path);
	const workspace = await s.open();
	return { s, workspace, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() };
}

it('gives the second tree in the folder of the first, with exactly its own names, modes and bytes', async () => {
	await using a = await opened();
	const { s, workspace } = a;
	const paths = new Set<string>();
	for (const [round, ref] of ['main', 'one', 'two', 'one', 'main', 'two'].entries()) {
		const commit = await workspace.resolve(ref);
		const plain = join(s.state, `plain-${round}`);
		await workspace.materializeTree(commit, { to: plain, exclude });
		await using leased = await workspace.leaseTree(commit, { exclude });
		expect(await readFiles(leased.path)).toEqual(await readFiles(plain));
		expect((await readdir(leased.path)).sort()).toEqual((await readdir(plain)).sort());
		paths.add(leased.path);
	}
	expect(paths.size).toBe(1);
	await using whole = await workspace.leaseTree(workspace.mainCommit);
	expect(await readFile(join(whole.path, 'kapso_evaluation/secret.txt'), 'utf8')).toBe('the caller’s\n');
});

it('writes only the difference: a file that both trees have stays the same file', async () => {
	await using a = await opened();
	const { workspace } = a;
	const inodes = async (commit: string) => {
		await using leased = await workspace.leaseTree(commit, { exclude });
		const inode = async (path: string) => (await lstat(join(leased.path, path))).ino;
		return { same: await inode('d3/deep/f3.txt'), changed: await inode('d0/deep/f0.txt') };
	};
	const first = await inodes(workspace.mainCommit);
	const second = await inodes(await workspace.resolve('one'));
	expect(second.same).toBe(first.same);
	expect(second.changed).not.toBe(first.changed);
});

const tampering: Record<string, (folder: string, outside: string) => Promise<unknown>> = {
	'an edit of the same size with its old times': async (folder) => {
		const path = join(folder, 'd3/deep/f3.txt');
		const { atime, mtime } = await lstat(path);
		await writeFile(path, 'FILE 3\n');
		await utimes(path, atime, mtime);
	},
	'a new file': (folder) => writeFile(join(folder, 'd3/deep/more.txt'), 'more'),
	'an empty folder': (folder) => mkdir(join(folder, 'd3/more')),
	'a missing file': (folder) => rm(join(folder, 'd3/deep/f3.txt')),
	'a mode': (folder) => chmod(join(folder, 'd3/deep/f3.txt'), 0o755),
	'a second name for a file': (folder, outside) => link(join(folder, 'd3/deep/f3.txt'), join(outside, 'second name')),
	'a link in place of a file with the same bytes': async (folder, outside) => {
		await rename(join(folder, 'd3/deep/f3.txt'), join(outside, 'moved'));
		await symlink(join(outside, 'moved'), join(folder, 'd3/deep/f3.txt'));
	},
	'a link in place of a folder with the same files': async (folder, outside) => {
		await rename(join(folder, 'd3'), join(outside, 'moved'));
		await symlink(join(outside, 'moved'), join(folder, 'd3'));
	},
	'a file that was to be removed, in a folder that is a link now': async (folder, outside) => {
		await rename(join(folder, 'd0'), join(outside, 'moved'));
		await symlink(join(outside, 'moved'), join(folder, 'd0'));
	},
	'the whole folder': (folder) => rm(folder, { recursive: true }),
};

it('replaces a pooled folder in which anything was changed, and touches nothing outside of it', async () => {
	await using a = await opened();
	const { s, workspace } = a;
	const two = await workspace.resolve('two');
	const plain = join(s.state, 'plain');
	await workspace.materializeTree(two, { to: plain, exclude });
	for (const [name, tamper] of Object.entries(tampering)) {
		const outside = join(s.folder, name);
		await mkdir(outside);
		const before = await workspace.leaseTree(workspace.mainCommit, { exclude });
		await before[Symbol.asyncDispose]();
		await tamper(before.path, outside);
		const theirs = await readFiles(outside);
		await using after = await workspace.leaseTree(two, { exclude });
		expect(after.path, name).not.toBe(before.path);
		expect(await readFiles(after.path), name).toEqual(await readFiles(plain));
		expect(existsSync(before.path), name).toBe(false);
		expect(await readFiles(outside), name).toEqual(theirs);
	}
});

it('gives every holder a folder of its own, and a fresh one where it is asked for', async () => {
	await using a = await opened();
	const { workspace } = a;
	const leases = await Promise.all([0, 1, 2].map(() => workspace.leaseTree(workspace.mainCommit)));
	expect(new Set(leases.map(({ path }) => path)).size).toBe(3);
	for (const leased of leases) await leased[Symbol.asyncDispose]();
	const fresh = await workspace.leaseTree(workspace.mainCommit, { fresh: true });
	expect(leases.map(({ path }) => path)).not.toContain(fresh.path);
	await fresh[Symbol.asyncDispose]();
	await fresh[Symbol.asyncDispose]();
	expect(existsSync(fresh.path)).toBe(false);
	await using pooled = await workspace.leaseTree(workspace.mainCommit);
	expect(leases.map(({ path }) => path)).toContain(pooled.path);
});

it('proves hundreds of files in threads, and sees one changed byte in any of them', async () => {
	await using s = await situation();
	const many = Object.fromEntries(Array.from({ length: 520 }, (_, n) => [`d${n % 40}/f${n}.txt`, `${n}\n`]));
	await createRepository(join(s.folder, 'seed'), { ...many, large: 'x'.repeat(700_000) });
	const workspace = await s.open({ seed: join(s.folder, 'seed') });
	let path = '';
	for (const changed of [null, 'd7/f7.txt', 'd39/f519.txt', 'large']) {
		if (changed !== null) {
			const bytes = await readFile(join(path, changed));
			bytes[bytes.length - 1]! ^= 1;
			await writeFile(join(path, changed), bytes);
		}
		const leased = await workspace.leaseTree(workspace.mainCommit);
		expect(leased.path).not.toBe(path);
		path = leased.path;
		await leased[Symbol.asyncDispose]();
	}
	await using last = await workspace.leaseTree(workspace.mainCommit);
	expect(last.path).toBe(path);
	expect((await readdir(path)).length).toBe(41);
});

it('leaves nothing behind when it is closed, whatever was leased or discarded', async () => {
	await using a = await opened();
	const { s, workspace } = a;
	const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() });
	await mkdir(join(clone.folder, 'read-only'));
	await writeFile(join(clone.folder, 'read-only/file'), '');
	await chmod(join(clone.folder, 'read-only'), 0o500);
	await workspace.removeClone(clone);
	expect(existsSync(clone.folder)).toBe(false);
	await workspace.removeClone(clone);
	await workspace.leaseTree(workspace.mainCommit);
	await (await workspace.leaseTree(workspace.mainCommit, { fresh: true }))[Symbol.asyncDispose]();
	await workspace.close();
	expect((await readdir(s.state)).filter((name) => name.startsWith('engine-'))).toEqual([]);
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
});
