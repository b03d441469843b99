import { execFile } from 'node:child_process';
import { link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { readBounded } from '../src/index.ts';

const run = promisify(execFile);

it('reads a file up to exactly the limit', async () => {
	await using folder = await temporaryFolder();
	const path = join(folder.path, 'é file');
	await writeFile(path, 'hello');

	expect((await readBounded(path, { maxBytes: 5 })).toString()).toBe('hello');
	await expect(readBounded(path, { maxBytes: 4 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE', category: 'usage' });
	await writeFile(path, '');
	expect((await readBounded(path, { maxBytes: 0 })).length).toBe(0);
});

it('does not believe a size: a huge hole is refused at once, a file that calls itself empty is read', async () => {
	await using folder = await temporaryFolder();
	await writeFile(join(folder.path, 'hole'), '');
	await truncate(join(folder.path, 'hole'), 2 ** 40);

	await expect(readBounded(join(folder.path, 'hole'), { maxBytes: 1000 })).rejects.toMatchObject({
		code: 'FILE_TOO_LARGE',
	});
	if (process.platform === 'linux') {
		expect((await readBounded('/proc/self/status', { maxBytes: 100_000 })).toString()).toContain('Pid:');
		await expect(readBounded('/proc/self/status', { maxBytes: 100 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
	}
});

it('refuses everything that is no regular file, without waiting and without following [T133]', async () => {
	await using folder = await temporaryFolder('r');
	await writeFile(join(folder.path, 'target'), 'secret');
	await symlink('target', join(folder.path, 'link'));
	await symlink('nowhere', join(folder.path, 'dangling'));
	await mkdir(join(folder.path, 'folder'));
	await run('mkfifo', [join(folder.path, 'pipe')]);
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(join(folder.path, 'socket'), resolve));
	try {
		for (const name of ['link', 'dangling', 'folder', 'pipe', 'socket']) {
			await expect(readBounded(join(folder.path, name), { maxBytes: 100 }), name).rejects.toMatchObject({
				code: 'FILE_KIND',
			});
		}
		await expect(readBounded('/dev/zero', { maxBytes: 100 })).rejects.toMatchObject({ code: 'FILE_KIND' });
	} finally {
		server.close();
	}
	for (const name of ['none', 'target/below']) {
		await expect(readBounded(join(folder.path, name), { maxBytes: 100 })).rejects.toMatchObject({
			code: 'FILE_MISSING',
		});
	}
});

it('refuses a file with a second name when asked to', async () => {
	await using folder = await temporaryFolder();
	await writeFile(join(folder.path, 'report'), '{}');
	await link(join(folder.path, 'report'), join(folder.path, 'second'));

	expect((await readBounded(join(folder.path, 'report'), { maxBytes: 9 })).toString()).toBe('{}');
	await expect(readBounded(join(folder.path, 'report'), { maxBytes: 9, singleLink: true })).rejects.toMatchObject({
		code: 'FILE_LINKS',
	});
});
