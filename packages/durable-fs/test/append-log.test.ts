import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { openAppendLog, readCompleteLines } from '../src/index.ts';

const run = promisify(execFile);

it('keeps the order of the calls and gives the lines back', async () => {
	await using folder = await temporaryFolder();
	const path = join(folder.path, 'ledger.jsonl');
	const log = await openAppendLog(path);
	expect([log.lines, log.tornBytes]).toEqual([[], 0]);

	await Promise.all(['one', 'zwei é', '', 'four'].map((line) => log.append(line)));
	await log.close();

	expect(await readFile(path, 'utf8')).toBe('one\nzwei é\n\nfour\n');
	const again = await openAppendLog(path);
	expect([again.lines, again.tornBytes]).toEqual([['one', 'zwei é', '', 'four'], 0]);
	await again.append('five');
	await again.close();
	expect(await readCompleteLines(path)).toEqual({ lines: ['one', 'zwei é', '', 'four', 'five'], tornBytes: 0 });
});

it('recovers exactly the complete lines at every position where a write can be cut', async () => {
	await using folder = await temporaryFolder();
	const path = join(folder.path, 'ledger.jsonl');
	const whole = Buffer.from('{"seq":0}\n{"seq":1,"é":"x"}\n{"seq":2}\n');
	for (let cut = 0; cut <= whole.length; cut++) {
		await writeFile(path, whole.subarray(0, cut));
		const end = whole.subarray(0, cut).lastIndexOf(0x0a) + 1;
		const lines = whole.toString('utf8', 0, end).split('\n').slice(0, -1);

		expect(await readCompleteLines(path)).toEqual({ lines, tornBytes: cut - end });
		const log = await openAppendLog(path);
		expect([log.lines, log.tornBytes]).toEqual([lines, cut - end]);
		await log.append('next');
		await log.close();
		expect(await readFile(path, 'utf8')).toBe([...lines, 'next', ''].join('\n'));
	}
});

it('only reads when it only reads: an unfinished line stays', async () => {
	await using folder = await temporaryFolder();
	const path = join(folder.path, 'ledger.jsonl');
	await writeFile(path, 'one\ntor');

	await readCompleteLines(path);

	expect(await readFile(path, 'utf8')).toBe('one\ntor');
});

it('refuses a line feed in a line, a link, a folder, and a missing file to read', async () => {
	await using folder = await temporaryFolder();
	const path = join(folder.path, 'ledger.jsonl');
	const log = await openAppendLog(path);

	await expect(log.append('a\nb')).rejects.toMatchObject({ code: 'LINE_BREAK' });
	await log.append('c');
	await log.close();
	await symlink('ledger.jsonl', join(folder.path, 'link'));

	expect(await readFile(path, 'utf8')).toBe('c\n');
	await expect(openAppendLog(join(folder.path, 'link'))).rejects.toMatchObject({ code: 'FILE_KIND' });
	await expect(openAppendLog(folder.path)).rejects.toMatchObject({ code: 'FILE_KIND' });
	await expect(readCompleteLines(join(folder.path, 'none'))).rejects.toMatchObject({ code: 'FILE_MISSING' });
});

it.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
	'leaves complete lines only when the disk is full, and takes no more until opened again',
	async () => {
		await using folder = await temporaryFolder();
		await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder.path]);
		try {
			const path = join(folder.path, 'ledger.jsonl');
			const log = await openAppendLog(path);
			await log.append('kept');

			await expect(log.append('x'.repeat(100_000))).rejects.toMatchObject({ code: 'WRITE_FAILED' });
			await expect(log.append('small')).rejects.toMatchObject({ code: 'WRITE_FAILED' });
			await log.close();

			expect(await readFile(path, 'utf8')).toBe('kept\n');
			const again = await openAppendLog(path);
			await again.append('after');
			await again.close();
			expect(await readFile(path, 'utf8')).toBe('kept\nafter\n');
		} finally {
			await run('umount', [folder.path]);
		}
	},
);
