import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '@kapso-evolve/contracts';
import { createRepository, git, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { createCatFileReader, createIsomorphicReader, findGit, type GitObjectReader } from '../src/index.ts';
import { type Situation, situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

async function catFile(s: Situation, gitDir: string): Promise<GitObjectReader> {
	const { git: runner } = await findGit({
		folder: s.folder,
		globalConfig: '/dev/null',
		userEnvironment: { PATH: process.env.PATH! },
	});
	return createCatFileReader({ git: runner, gitDir });
}

const readers: Readonly<Record<string, (s: Situation, gitDir: string) => Promise<GitObjectReader>>> = {
	'cat-file': catFile,
	'isomorphic-git': (_, gitDir) => createIsomorphicReader({ gitDir }),
};

describe.for(Object.entries(readers))('the %s reader', ([, open]) => {
	it('reads commits, trees and blobs as they are', async () => {
		await using s = await situation();
		const repository = join(s.folder, 'r');
		const binary = Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x01]);
		const first = await createRepository(repository, { 'a.bin': binary, empty: '', 'ü/b': 'b', l: { link: 'a.bin' } });
		await git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'second\n\nwith a body');
		const second = await git(repository, 'rev-parse', 'HEAD');
		const reader = await open(s, join(repository, '.git'));
		expect(await reader.readCommit(second)).toEqual({
			tree: await git(repository, 'rev-parse', 'HEAD^{tree}'),
			parents: [first],
			message: 'second\n\nwith a body\n',
		});
		const entries = await reader.listTree(second);
		expect(entries.map(({ path, mode, size }) => [path.toString(), mode, size])).toEqual([
			['a.bin', '100644', 5],
			['empty', '100644', 0],
			['l', '120000', 5],
			['ü/b', '100644', 1],
		]);
		expect(await reader.readBlob(entries[0]!.id)).toEqual(binary);
		expect(await reader.readBlob(entries[1]!.id)).toEqual(Buffer.alloc(0));
		for (const wrong of [first, 'a'.repeat(40), 'nonsense', '']) {
			await expect(reader.readBlob(wrong)).rejects.toMatchObject({ code: 'NO_SUCH_OBJECT' });
		}
		await expect(reader.readCommit(entries[0]!.id)).rejects.toMatchObject({ code: 'NO_SUCH_OBJECT' });
		await reader.close();
	});

	it('answers hundreds of requests at once, each with its own bytes, and sees objects that came later [G52]', async () => {
		await using s = await situation();
		const repository = join(s.folder, 'r');
		await createRepository(repository, Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, `${n}`])));
		const reader = await open(s, join(repository, '.git'));
		const entries = await reader.listTree(await git(repository, 'rev-parse', 'HEAD'));
		const blobs = await Promise.all(entries.map(({ id }) => reader.readBlob(id)));
		expect(blobs.map(String)).toEqual(entries.map(({ path }) => path.toString().slice(1)));
		await writeFile(join(repository, 'later'), 'later');
		const id = await git(repository, 'hash-object', '-w', 'later');
		expect(String(await reader.readBlob(id))).toBe('later');
		await reader.close();
	});
});

it('agrees with the other reader on a random history: trees, bytes, ancestry', async () => {
	await using s = await situation();
	const workspace = await s.open();
	const random = seededRandom(7);
	const pick = (limit: number) => Math.floor(random.next() * limit);
	const commits = [workspace.mainCommit];
	for (let number = 0; number < 4; number++) {
		const files: Record<string, Uint8Array | { link: string }> = {};
		for (let count = 0; count < 5; count++) {
			const path = `d${pick(3)}/${['a', 'b.x', 'c-d', 'é'][pick(4)]}${pick(3)}`;
			files[path] = pick(6) === 0 ? { link: 'd0/a0' } : Uint8Array.from({ length: pick(2000) }, () => pick(256));
		}
		const parent = commits[pick(commits.length)]!;
		commits.push((await candidate(s, workspace, { branch: `generic_exp_${number}`, parent, files })).commit);
	}
	if (pick(2) === 0) await git(s.output, 'repack', '-a', '-d', '--quiet');
	const oracle = await createIsomorphicReader({ gitDir: workspace.gitDir });
	const ancestors = async (commit: string): Promise<Set<string>> => {
		const found = new Set([commit]);
		for (const parent of (await oracle.readCommit(commit)).parents)
			for (const id of await ancestors(parent)) found.add(id);
		return found;
	};
	for (const commit of commits) {
		expect(await oracle.readCommit(commit)).toEqual(await workspace.objects.readCommit(commit));
		const entries = await workspace.objects.listTree(commit);
		expect(await oracle.listTree(commit)).toEqual(entries);
		for (const { id } of entries) expect(await oracle.readBlob(id)).toEqual(await workspace.objects.readBlob(id));
		const known = await ancestors(commit);
		for (const other of commits) expect(await workspace.isAncestor(other, commit)).toBe(known.has(other));
	}
	await oracle.close();
});

it('refuses by name what isomorphic-git reads wrongly', async () => {
	await using s = await situation();
	await git(s.folder, 'init', '--quiet', '--object-format=sha256', 'long');
	await createRepository(join(s.folder, 'plain'), { a: 'a' });
	await git(s.folder, 'clone', '--quiet', '--shared', 'plain', 'shared');
	await writeFiles(join(s.folder, 'plain'), { '.git/refs/replace/x': 'y' });
	for (const name of ['long', 'shared', 'plain']) {
		const opened = createIsomorphicReader({ gitDir: join(s.folder, name, '.git') });
		await expect(opened).rejects.toMatchObject({ code: 'READER_UNSUPPORTED' });
	}
});

it('starts cat-file anew after it was killed', async () => {
	await using s = await situation();
	const repository = join(s.folder, 'r');
	const commit = await createRepository(repository, { a: 'a' });
	const reader = await catFile(s, join(repository, '.git'));
	const { tree } = await reader.readCommit(commit);
	const { readdirSync, readFileSync } = await import('node:fs');
	for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		let line = '';
		try {
			line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
		} catch {
			continue; // ended meanwhile
		}
		if (line.includes('cat-file') && line.includes(Buffer.from(repository).toString('latin1')))
			process.kill(Number(pid));
	}
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect((await reader.readCommit(commit)).tree).toBe(tree);
	await reader.close();
	await expect(reader.readCommit(commit)).rejects.toMatchObject({ code: 'OBJECT_READER_ENDED' });
});
