import { execFile, spawn } from 'node:child_process';
import { link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { createFileDurable, ensureFolder, sweepTemporaries, writeFileDurable } from '../src/index.ts';

const run = promisify(execFile);
const fixture = (name: string) => [
	'--conditions=@kapso-evolve/source',
	'--no-warnings',
	join(import.meta.dirname, 'fixtures', name),
];
const isRoot = process.getuid?.() === 0;

describe('writeFileDurable', () => {
	it('writes text and bytes with the given rights and leaves nothing else', async () => {
		await using folder = await temporaryFolder();

		await writeFileDurable(join(folder.path, 'text'), 'é\n');
		await writeFileDurable(join(folder.path, 'bytes'), Uint8Array.of(0, 255), { mode: 0o644 });

		expect(await readFile(join(folder.path, 'text'), 'utf8')).toBe('é\n');
		expect(await readFile(join(folder.path, 'bytes'))).toEqual(Buffer.from([0, 255]));
		expect((await stat(join(folder.path, 'text'))).mode & 0o777).toBe(0o600);
		expect((await stat(join(folder.path, 'bytes'))).mode & 0o777).toBe(0o644);
		expect((await readdir(folder.path)).sort()).toEqual(['bytes', 'text']);
	});

	it('replaces a link and never the file that it names', async () => {
		await using folder = await temporaryFolder();
		await writeFile(join(folder.path, 'victim'), 'precious');
		await symlink('victim', join(folder.path, 'state'));

		await writeFileDurable(join(folder.path, 'state'), 'new');

		expect((await lstat(join(folder.path, 'state'))).isFile()).toBe(true);
		expect(await readFile(join(folder.path, 'victim'), 'utf8')).toBe('precious');
	});

	it('says what failed and removes its temporary file when the target cannot be replaced', async () => {
		await using folder = await temporaryFolder();
		await mkdir(join(folder.path, 'state'));

		const failing = writeFileDurable(join(folder.path, 'state'), 'new');

		await expect(failing).rejects.toMatchObject({
			code: 'WRITE_FAILED',
			category: 'infrastructure',
			data: { errno: 'EISDIR' },
		});
		expect(await readdir(folder.path)).toEqual(['state']);
	});

	it('keeps the old file, complete, when the disk takes only a part of the new one', async () => {
		await using folder = await temporaryFolder();
		await writeFile(join(folder.path, 'state'), 'old');

		// A limit on the size of files shows like a full disk: first a short write, then an error.
		const script = 'trap "" XFSZ; ulimit -f 100; exec "$@"';
		const { stdout } = await run('bash', [
			'-c',
			script,
			'bash',
			process.execPath,
			...fixture('write-once.ts'),
			join(folder.path, 'state'),
		]);

		expect(JSON.parse(stdout)).toMatchObject({ code: 'WRITE_FAILED', errno: 'EFBIG' });
		expect(await readFile(join(folder.path, 'state'), 'utf8')).toBe('old');
		expect(await readdir(folder.path)).toEqual(['state']);
	});

	it.skipIf(!isRoot || process.platform !== 'linux')('keeps the old file on a disk that is really full', async () => {
		await using folder = await temporaryFolder();
		await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder.path]);
		try {
			await writeFileDurable(join(folder.path, 'state'), 'old');

			const failing = writeFileDurable(join(folder.path, 'state'), Buffer.alloc(3_000_000));

			await expect(failing).rejects.toMatchObject({ code: 'WRITE_FAILED', data: { errno: 'ENOSPC' } });
			expect(await readFile(join(folder.path, 'state'), 'utf8')).toBe('old');
			expect(await readdir(folder.path)).toEqual(['state']);
		} finally {
			await run('umount', [folder.path]);
		}
	});

	it('shows a complete old or new file at every instant of a kill, and the sweep finds the rest', async () => {
		await using folder = await temporaryFolder();
		const state = join(folder.path, 'state');
		let temporaries = 0;
		// At least four kills, and on until one has hit a write: whether it does is the machine's affair.
		for (let round = 0; round < 4 || (temporaries === 0 && round < 60); round++) {
			const writer = spawn(process.execPath, [...fixture('write-for-ever.ts'), state], {
				stdio: ['ignore', 'pipe', 'inherit'],
			});
			await new Promise((resolve) => writer.stdout.once('data', resolve));
			await new Promise((resolve) => setTimeout(resolve, (round % 9) * 7));
			writer.kill('SIGKILL');
			await new Promise((resolve) => writer.once('close', resolve));

			const bytes = await readFile(state);
			expect(bytes.length).toBe(100_000);
			expect(new Set(bytes).size).toBe(1);
			temporaries += (await readdir(folder.path)).length - 1;
			await sweepTemporaries(folder.path);
			expect(await readdir(folder.path)).toEqual(['state']);
		}
		expect(temporaries).toBeGreaterThan(0); // else this test has killed nobody in the act
	});

	it.skipIf(process.platform !== 'linux')(
		'syncs the file before it is renamed and the folder after',
		async (context) => {
			await using folder = await temporaryFolder('s'); // strace escapes what is not ASCII
			const trace = join(folder.path, 'trace');
			const strace = ['-f', '-y', '-o', trace, '-e', 'trace=fsync,fdatasync,rename,renameat,renameat2'];
			const traced = await run('strace', [
				...strace,
				process.execPath,
				...fixture('write-once.ts'),
				join(folder.path, 'state'),
			]).catch(() => null);
			if (traced === null) return context.skip('strace cannot trace here');

			const calls = (await readFile(trace, 'utf8')).split('\n').filter((line) => line.includes(folder.path));
			expect(calls.map((line) => /(\w+)\(/.exec(line)?.[1])).toEqual(['fsync', 'rename', 'fsync']);
			expect(calls[0]).toContain('.kapso-temporary-');
			expect(calls[2]).toContain(`<${folder.path}>`);
		},
	);
});

describe('createFileDurable', () => {
	it('refuses an existing file and leaves it as it is', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'lock');
		await createFileDurable(path, 'first');

		await expect(createFileDurable(path, 'second')).rejects.toMatchObject({ code: 'FILE_EXISTS', category: 'usage' });

		expect(await readFile(path, 'utf8')).toBe('first');
		expect((await stat(path)).nlink).toBe(1);
		expect(await readdir(folder.path)).toEqual(['lock']);
	});

	it('lets exactly one of many win, and nobody sees half of it', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'lock');

		const attempts = await Promise.allSettled(
			Array.from({ length: 20 }, (_, n) => createFileDurable(path, `writer ${n}`)),
		);

		const winner = attempts.findIndex((attempt) => attempt.status === 'fulfilled');
		expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
		expect(await readFile(path, 'utf8')).toBe(`writer ${winner}`);
		expect(await readdir(folder.path)).toEqual(['lock']);
	});
});

describe('sweepTemporaries', () => {
	it('removes what dead writers left and touches nothing of the living, of other machines, or of the user', async () => {
		await using folder = await temporaryFolder();
		const { stdout } = await run(process.execPath, fixture('temporary-names.ts'));
		const { living, dead, otherBoot, otherHost } = JSON.parse(stdout) as Record<string, string>;
		// The process that made these names has ended by now: its own "living" name is that of a dead writer.
		const stays = [`${otherHost}`, '.kapso-temporary-notes', `${living}.bak`, '.other'];
		for (const name of [living, dead, otherBoot, ...stays]) await writeFile(join(folder.path, `${name}`), '');
		const { temporaryName } = await import('../src/temporary-name.ts');
		const mine = temporaryName();
		await writeFile(join(folder.path, mine), '');
		await link(join(folder.path, '.other'), join(folder.path, 'x'));

		const removed = await sweepTemporaries(folder.path);

		expect([...removed].sort()).toEqual([living, dead, otherBoot].sort());
		expect((await readdir(folder.path)).sort()).toEqual([...stays, mine, 'x'].sort());
	});
});

describe('ensureFolder', () => {
	it('makes every missing parent and is content with what is there', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'a', 'b', 'c');

		await ensureFolder(path);
		await ensureFolder(path);

		expect((await stat(path)).isDirectory()).toBe(true);
	});

	it('names a file that is in the way', async () => {
		await using folder = await temporaryFolder();
		await writeFile(join(folder.path, 'a'), '');

		await expect(ensureFolder(join(folder.path, 'a'))).rejects.toMatchObject({ code: 'FILE_KIND' });
		await expect(ensureFolder(join(folder.path, 'a', 'b'))).rejects.toMatchObject({ code: 'FILE_KIND' });
	});
});
