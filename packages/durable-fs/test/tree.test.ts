import { execFile } from 'node:child_process';
import { chmod, link, mkdir, readdir, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalJson, sha256 } from '@kapso-evolve/contracts';
import { readFiles, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { copyOutputs, copyTree, hashTree, removeTree } from '../src/index.ts';

const run = promisify(execFile);
const isLinux = process.platform === 'linux';

/** Folders in folders, each with a file and a neighbour, which may have a name that is not UTF-8. */
function nest(folder: string, name: string, depth: number, neighbour = 'x'): Promise<unknown> {
	const script = `chdir shift; my ($n, $d) = @ARGV; for (1..$d) { mkdir $_ for $n, "$n-${neighbour}"; open F, ">f"; chdir $n }`;
	return run('perl', ['-e', script, folder, name, `${depth}`]);
}

/** What a hostile program may leave beside its results; each needs its own refusal. */
const traps: readonly {
	what: string;
	path: string;
	reason: RegExp;
	set: (folder: string, secret: string) => Promise<unknown>;
}[] = [
	{ what: 'a link to a file', path: 'x', reason: /a link/, set: (f, secret) => symlink(secret, join(f, 'x')) },
	{ what: 'a link to a folder', path: 'x', reason: /a link/, set: (f) => symlink('/', join(f, 'x')) },
	{
		what: 'a dangling link',
		path: 'd/x',
		reason: /a link/,
		set: async (f) => {
			await mkdir(join(f, 'd'));
			await symlink('nowhere', join(f, 'd/x'));
		},
	},
	{ what: 'a named pipe', path: 'x', reason: /a named pipe/, set: (f) => run('mkfifo', [join(f, 'x')]) },
	{
		what: 'a socket',
		path: 'x',
		reason: /a socket/,
		set: (f) =>
			new Promise<void>((resolve) => {
				const server = createServer().listen(join(f, 's'), async () => {
					await run('cp', ['-a', join(f, 's'), join(f, 'x')]);
					server.close(() => resolve());
				});
			}),
	},
	{
		what: 'a name that is not UTF-8',
		path: 'x\u{fffd}',
		reason: /not UTF-8/,
		set: (f) => writeFile(Buffer.concat([Buffer.from(join(f, 'x')), Buffer.from([0xff])]), ''),
	},
	{
		what: 'endless nesting',
		path: '',
		reason: /nested deeper/,
		set: (f) => nest(f, 'd', 150),
	},
	{
		what: 'a path longer than the system takes',
		path: '',
		reason: /too long/,
		set: (f) => nest(f, 'n'.repeat(200), 30),
	},
];

describe('hashTree', () => {
	it('lists every file in byte order with its mode, size and hash, and digests the list', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'b/é': '1', 'b.txt': '22', b2: { executable: '#!/bin/sh\n' }, '.hidden': '' });
		await mkdir(join(folder.path, 'empty'));

		const tree = await hashTree(folder.path);

		const entry = (path: string, mode: string, bytes: string) => ({
			path,
			mode,
			size: Buffer.byteLength(bytes),
			sha256: sha256(bytes),
		});
		expect(tree.entries).toEqual([
			entry('.hidden', '100644', ''),
			entry('b.txt', '100644', '22'),
			entry('b/é', '100644', '1'),
			entry('b2', '100755', '#!/bin/sh\n'),
		]);
		expect(tree.digest).toBe(
			sha256(canonicalJson(tree.entries.map(({ path, mode, sha256 }) => ({ path, mode, sha256 })))),
		);
	});

	it('changes its digest with a byte, a name or the executable bit, and with nothing else', async () => {
		await using folder = await temporaryFolder();
		const file = join(folder.path, 'file');
		await writeFile(file, 'abc');
		const { digest } = await hashTree(folder.path);

		await chmod(file, 0o600);
		expect((await hashTree(folder.path)).digest).toBe(digest);
		await chmod(file, 0o700);
		expect((await hashTree(folder.path)).digest).not.toBe(digest);
		await chmod(file, 0o644);
		await writeFile(file, 'abd');
		expect((await hashTree(folder.path)).digest).not.toBe(digest);
	});

	it.skipIf(!isLinux).each(traps)('refuses $what [T133]', async ({ path, reason, set }) => {
		await using outside = await temporaryFolder('o');
		await using folder = await temporaryFolder('f');
		await writeFile(join(outside.path, 'secret'), 'secret');
		await set(folder.path, join(outside.path, 'secret'));

		const failing = hashTree(folder.path);

		await expect(failing).rejects.toMatchObject({
			code: 'TREE_ENTRY_KIND',
			data: { reason: expect.stringMatching(reason) },
		});
		await expect(failing).rejects.toMatchObject({ data: { path: expect.stringContaining(path) } });
		await removeTree(folder.path);
	});

	it('keeps to its limits, and says what is missing or no folder', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { a: '123', 'b/c': '456' });

		expect((await hashTree(folder.path, { maxFiles: 3, maxBytes: 6 })).entries).toHaveLength(2);
		await expect(hashTree(folder.path, { maxFiles: 2 })).rejects.toMatchObject({ code: 'TREE_TOO_LARGE' });
		await expect(hashTree(folder.path, { maxBytes: 5 })).rejects.toMatchObject({ code: 'TREE_TOO_LARGE' });
		await expect(hashTree(join(folder.path, 'none'))).rejects.toMatchObject({ code: 'FILE_MISSING' });
		await expect(hashTree(join(folder.path, 'a'))).rejects.toMatchObject({ code: 'FILE_KIND' });
	});
});

describe('copyTree', () => {
	it('copies bytes, never links, with plain modes, and gives the digest of the source', async () => {
		await using folder = await temporaryFolder();
		const [from, to] = [join(folder.path, 'from'), join(folder.path, 'deep/to')];
		await writeFiles(from, { 'a/b': '1', run: { executable: 'x' } });
		await chmod(join(from, 'run'), 0o4711);
		await chmod(join(from, 'a/b'), 0o600);

		const copied = await copyTree({ from, to });

		expect(copied).toEqual(await hashTree(from));
		expect(copied).toEqual(await hashTree(to));
		expect(await readFiles(to)).toEqual({ 'a/b': '644 1', run: '755 x' });
		expect((await stat(join(to, 'a/b'))).ino).not.toBe((await stat(join(from, 'a/b'))).ino);
	});

	it('copies all or nothing and never into a folder with something in it', async () => {
		await using folder = await temporaryFolder();
		const [from, to, full] = ['from', 'to', 'full'].map((name) => join(folder.path, name)) as [string, string, string];
		await writeFiles(from, { a: '1', 'z/b': '2' });
		await symlink('b', join(from, 'z/link'));
		await writeFiles(full, { mine: 'precious' });

		await expect(copyTree({ from, to })).rejects.toMatchObject({ code: 'TREE_ENTRY_KIND', data: { path: 'z/link' } });
		await expect(copyTree({ from, to: full })).rejects.toMatchObject({ code: 'FOLDER_NOT_EMPTY' });

		expect(await readdir(to)).toEqual([]);
		expect(await readFiles(full)).toEqual({ mine: '644 precious' });
	});
});

describe('copyOutputs', () => {
	const caps = { maxBytes: 1000, maxFiles: 10 };

	it('carries regular files over as new ones', async () => {
		await using folder = await temporaryFolder();
		const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
		await writeFiles(from, { 'out/é.json': '{}', tool: { executable: 'x' } });

		expect(await copyOutputs({ from, to, ...caps })).toEqual({ ok: true, files: 2, bytes: 3 });
		expect(await readFiles(to)).toEqual({ 'out/é.json': '644 {}', tool: '755 x' });
	});

	it.skipIf(!isLinux).each(traps)('carries nothing over beside $what [T133]', async ({ reason, set }) => {
		await using folder = await temporaryFolder('f');
		const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
		await writeFiles(folder.path, { 'from/ok': '1', secret: 'secret' });
		await set(from, join(folder.path, 'secret'));

		const copied = await copyOutputs({ from, to, maxBytes: 1000, maxFiles: 1000 });

		expect(copied).toMatchObject({ ok: false, code: 'OUTPUT_KIND', reason: expect.stringMatching(reason) });
		expect(await readdir(to)).toEqual([]);
		await removeTree(from);
	});

	it('carries no file over that has a second name somewhere [T133]', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'from/ok': '1', suite: 'answers' });
		await link(join(folder.path, 'suite'), join(folder.path, 'from/linked'));

		const copied = await copyOutputs({ from: join(folder.path, 'from'), to: join(folder.path, 'to'), ...caps });

		expect(copied).toEqual({ ok: false, code: 'OUTPUT_KIND', path: 'linked', reason: 'it has 2 names (hard links)' });
	});

	it.skipIf(process.getuid?.() !== 0)('carries no device over [T133]', async () => {
		await using folder = await temporaryFolder();
		const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
		await mkdir(from);
		await run('mknod', [join(from, 'zero'), 'c', '1', '5']);

		expect(await copyOutputs({ from, to, ...caps })).toMatchObject({
			ok: false,
			path: 'zero',
			reason: 'it is a device',
		});
	});

	it('counts the holes of sparse files, the sum of all files, files and folders [T086, T133]', async () => {
		await using folder = await temporaryFolder();
		const attempt = async (name: string, limits: { maxBytes: number; maxFiles: number }) =>
			copyOutputs({ from: join(folder.path, name), to: join(folder.path, `${name}-copy-${Math.random()}`), ...limits });
		await writeFiles(folder.path, { 'sparse/a': '', 'sum/a': 'x'.repeat(600), 'sum/b': 'y'.repeat(600) });
		await truncate(join(folder.path, 'sparse/a'), 2 ** 42);
		for (let n = 0; n < 11; n++) await mkdir(join(folder.path, 'many', `${n}`), { recursive: true });

		expect(await attempt('sparse', caps)).toMatchObject({
			ok: false,
			path: 'a',
			reason: expect.stringContaining('1000 bytes'),
		});
		expect(await attempt('sum', caps)).toMatchObject({ ok: false, reason: expect.stringContaining('1000 bytes') });
		expect(await attempt('sum', { maxBytes: 1200, maxFiles: 2 })).toEqual({ ok: true, files: 2, bytes: 1200 });
		expect(await attempt('many', caps)).toMatchObject({
			ok: false,
			reason: 'there are more than 10 files and folders',
		});
	});

	it.skipIf(!isLinux)('is not led out by a folder that turns into a link while it is read', async () => {
		await using folder = await temporaryFolder();
		const [from, secret] = [join(folder.path, 'from'), join(folder.path, 'secret')];
		const files = Array.from({ length: 30 }, (_, n) => `${n}`);
		await writeFiles(folder.path, {
			...Object.fromEntries(files.map((name) => [`from/d/${name}`, 'mine'])),
			...Object.fromEntries(files.map((name) => [`secret/${name}`, 'SECRET'])),
		});
		// Exchanges the folder for a link and back, as fast as it can.
		const script = 'chdir shift; while (1) { rename "d", "e"; symlink "../secret", "d"; unlink "d"; rename "e", "d" }';
		const stop = new AbortController();
		const racing = run('perl', ['-e', script, from], { signal: stop.signal }).catch(() => {});
		try {
			for (let round = 0; round < 60; round++) {
				const to = join(folder.path, `to ${round}`);
				await copyOutputs({ from, to, maxBytes: 1000, maxFiles: 100 });
				expect(Object.values(await readFiles(to)).join()).not.toContain('SECRET');
			}
		} finally {
			stop.abort();
			await racing;
		}
		expect(new Set(Object.values(await readFiles(secret)))).toEqual(new Set(['644 SECRET']));
	});

	it('throws for a source that is missing or no folder, and for a target with something in it', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'from/a': '1', 'full/mine': '2', link: { link: 'from' } });
		const at = (name: string) => join(folder.path, name);

		await expect(copyOutputs({ from: at('none'), to: at('to'), ...caps })).rejects.toMatchObject({
			code: 'FILE_MISSING',
		});
		await expect(copyOutputs({ from: at('link'), to: at('to'), ...caps })).rejects.toMatchObject({ code: 'FILE_KIND' });
		await expect(copyOutputs({ from: at('from'), to: at('full'), ...caps })).rejects.toMatchObject({
			code: 'FOLDER_NOT_EMPTY',
		});
	});
});

describe('removeTree', () => {
	it('removes what is nested deeper than a path can be long, links but not what they name, and nothing twice', async () => {
		await using folder = await temporaryFolder();
		const hostile = join(folder.path, 'hostile');
		await writeFiles(folder.path, { 'hostile/a': '1', keep: 'precious', 'hostile/link': { link: '../keep' } });
		await nest(hostile, 'n'.repeat(200), 60, '\\xe9');

		await removeTree(hostile);
		await removeTree(hostile);

		expect(await readFiles(folder.path)).toEqual({ keep: '644 precious' });
	});
});
