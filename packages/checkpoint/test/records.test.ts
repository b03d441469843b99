import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@kapso-evolve/contracts';
import { readFiles, temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { openRecords } from '../src/index.ts';

describe('records', () => {
	it('are kept below node and attempt under name and digest, and read back by digest [D46]', async () => {
		await using folder = await temporaryFolder();
		const records = openRecords(join(folder.path, 'records'));
		const bytes = Buffer.from([0, 255, 10, 13]);
		const digest = await records.put({ nodeId: 4, attempt: 2, name: 'transcript', bytes });
		expect(digest).toBe(sha256(bytes));
		expect(await records.read({ nodeId: 4, attempt: 2, sha256: digest })).toEqual(bytes);
		const path = records.path({ nodeId: 4, attempt: 2, name: 'transcript', sha256: digest });
		expect(path).toBe(join(folder.path, 'records', '4', '2', `transcript-${digest}`));
		expect(Object.keys(await readFiles(folder.path))).toEqual([`records/4/2/transcript-${digest}`]);
	});

	it('may be put again, also at the same time, and stay one file', async () => {
		await using folder = await temporaryFolder();
		const records = openRecords(folder.path);
		const record = { nodeId: 0, attempt: 1, name: 'diff', bytes: 'text' };
		const digests = await Promise.all([records.put(record), records.put(record), records.put(record)]);
		expect(new Set([...digests, await records.put(record)]).size).toBe(1);
		expect(await readdir(join(folder.path, '0', '1'))).toEqual([`diff-${digests[0]}`]);
	});

	it('of the baseline, which is no node, have a place of their own', async () => {
		await using folder = await temporaryFolder();
		const records = openRecords(folder.path);
		const digest = await records.put({ nodeId: null, attempt: 1, name: 'evaluation', bytes: '' });
		expect((await records.read({ nodeId: null, attempt: 1, sha256: digest })).length).toBe(0);
		expect(await readdir(folder.path)).toEqual(['baseline']);
	});

	it('whose bytes changed are refused, and not mended by putting them again', async () => {
		await using folder = await temporaryFolder();
		const records = openRecords(folder.path);
		const record = { nodeId: 0, attempt: 1, name: 'result', bytes: '{"score":1}' };
		const digest = await records.put(record);
		const path = records.path({ ...record, sha256: digest });
		await chmod(path, 0o600);
		await writeFile(path, '{"score":2}');
		await expect(records.read({ nodeId: 0, attempt: 1, sha256: digest })).rejects.toMatchObject({
			code: 'RECORD_CORRUPT',
			data: { path },
		});
		await expect(records.put(record)).rejects.toMatchObject({ code: 'RECORD_CORRUPT' });
	});

	it('that are not there are missing, by name', async () => {
		await using folder = await temporaryFolder();
		const records = openRecords(join(folder.path, 'records'));
		await expect(records.read({ nodeId: 9, attempt: 1, sha256: 'a'.repeat(64) })).rejects.toMatchObject({
			code: 'RECORD_MISSING',
			category: 'usage',
		});
		expect(await readdir(folder.path)).toEqual([]);
	});

	it.each(['../x', 'A', '', 'a/b', '.hidden', 'a b'])('cannot be named %j', async (name) => {
		await using folder = await temporaryFolder();
		await expect(openRecords(folder.path).put({ nodeId: 0, attempt: 1, name, bytes: '' })).rejects.toThrow(TypeError);
		expect(await readdir(folder.path)).toEqual([]);
	});
});
