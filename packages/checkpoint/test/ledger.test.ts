import { execFile } from 'node:child_process';
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalJson, type LedgerEntry, type LedgerLine, sha256 } from '@kapso-evolve/contracts';
import { fakeClock, temporaryFolder } from '@kapso-evolve/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerGenesis, openLedger, readLedger } from '../src/index.ts';
import { sealLine } from '../src/ledger-line.ts';
import { proveLedger } from '../src/read-ledger.ts';

const campaignId = 'campaign-1';
const entry = (type: LedgerEntry['type'], data: LedgerEntry['data'] = {}): LedgerEntry => ({
	type,
	nodeId: null,
	attempt: null,
	data,
});

/** A line that is right in itself: the first of the campaign, unless a test wants it elsewhere. */
function sealed(changes: Partial<LedgerLine>) {
	const place = { v: 1, seq: 0, prev: ledgerGenesis(campaignId), time: 't', type: 'cost', slice: 0 } as const;
	return sealLine({ ...place, node_id: null, attempt: null, data: {}, ...changes });
}

/** A small campaign's ledger, as bytes: all kinds of text, numbers and nesting. */
async function sampleBytes(): Promise<Buffer> {
	await using folder = await temporaryFolder();
	const path = join(folder.path, 'ledger.jsonl');
	const ledger = await openLedger({ path, campaignId, clock: fakeClock(), slice: 0 });
	await ledger.append(entry('opened', { campaign_id: campaignId, goal: 'schnell – 速く \u{1F600} \u2028 \ufffd' }));
	await ledger.append({
		type: 'intent',
		nodeId: 0,
		attempt: 1,
		data: { parent_commit: 'a'.repeat(40), budget_left: null },
	});
	await ledger.append({
		type: 'recorded',
		nodeId: 0,
		attempt: 1,
		data: { score: -1.5e-7, big: 1e21, list: [1, [true], {}] },
	});
	await ledger.append(entry('stopped', { reason: 'max_iterations' }));
	await ledger.close();
	return await readFile(path);
}

describe('the ledger', () => {
	it('writes lines in the documented form, byte for byte', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		const ledger = await openLedger({ path, campaignId, clock: fakeClock('2030-01-02T03:04:05.678Z'), slice: 2 });
		expect(ledger.head).toBe(sha256(campaignId));
		const line = await ledger.append({ type: 'intent', nodeId: 7, attempt: 1, data: { z: 1, a: { d: null, c: 'é' } } });
		await ledger.close();
		const body = `{"v":1,"seq":0,"prev":"${sha256(campaignId)}","time":"2030-01-02T03:04:05.678Z","type":"intent","slice":2,"node_id":7,"attempt":1,"data":{"a":{"c":"é","d":null},"z":1}`;
		expect(await readFile(path, 'utf8')).toBe(`${body},"sha256":"${sha256(body)}"}\n`);
		expect(line.sha256).toBe(sha256(body));
		expect(ledger.head).toBe(line.sha256);
		expect(ledger.lines).toEqual([line]);
		expect((await stat(path)).mode & 0o077).toBe(0);
	});

	it('goes on where another process stopped, each line chained to the one before', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		const first = await openLedger({ path, campaignId, slice: 0 });
		await first.append(entry('opened', { campaign_id: campaignId }));
		await first.close();
		const second = await openLedger({ path, campaignId, slice: 1 });
		expect(second).toMatchObject({ lines: first.lines, head: first.head, tornBytes: 0 });
		const appended = await Promise.all([
			second.append(entry('slice')),
			second.append(entry('cost')),
			second.append(entry('stopped')),
		]);
		await second.close();
		expect(appended.map(({ seq, slice, type }) => [seq, slice, type])).toEqual([
			[1, 1, 'slice'],
			[2, 1, 'cost'],
			[3, 1, 'stopped'],
		]);
		expect(await readLedger({ path })).toEqual({ lines: second.lines, head: second.head, tornBytes: 0, campaignId });
		expect(second.lines.map(({ prev }) => prev)).toEqual([
			ledgerGenesis(campaignId),
			...second.lines.slice(0, -1).map((line) => line.sha256),
		]);
	});

	it('is the same, byte for byte, for the same entries under an injected clock [E23]', async () => {
		expect(await sampleBytes()).toEqual(await sampleBytes());
	});

	it('writes what was said when append was called, though the object changes afterwards', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		const ledger = await openLedger({ path, campaignId, slice: 0 });
		const data = { spent: 1 };
		const appended = ledger.append(entry('cost', data));
		data.spent = 2;
		expect((await appended).data).toEqual({ spent: 1 });
		await ledger.close();
		expect((await readLedger({ path, campaignId })).lines[0]?.data).toEqual({ spent: 1 });
	});

	it.each<[string, LedgerEntry]>([
		['data.score is NaN', entry('cost', { score: Number.NaN })],
		['data.list[1] is -Infinity', entry('cost', { list: [0, Number.NEGATIVE_INFINITY] })],
		['data.x is undefined', entry('cost', { x: undefined })],
		['data.x is a function', entry('cost', { x: () => 1 })],
		['data.when is no plain object', entry('cost', { when: new Date(0) })],
		['data.n is a bigint', entry('cost', { n: 1n })],
		['type guess is unknown', entry('guess' as never)],
		['nodeId is -1', { ...entry('cost'), nodeId: -1 }],
		['attempt is 0', { ...entry('cost'), attempt: 0 }],
	])('takes plain finite JSON only: %s', async (problem, bad) => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		const ledger = await openLedger({ path, campaignId, slice: 0 });
		await expect(ledger.append(bad)).rejects.toMatchObject({ code: 'LEDGER_DATA', data: { problem } });
		await ledger.append(entry('cost'));
		await ledger.close();
		expect((await readLedger({ path, campaignId })).lines).toHaveLength(1);
	});

	it.each([-1, 0.5, Number.NaN])('is not opened for slice %d', async (slice) => {
		await using folder = await temporaryFolder();
		const opened = openLedger({ path: join(folder.path, 'ledger.jsonl'), campaignId, slice });
		await expect(opened).rejects.toMatchObject({ code: 'LEDGER_DATA' });
		expect(await readdir(folder.path)).toEqual([]);
	});

	it('gives any JSON data back as it was said', async () => {
		const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });
		fc.assert(
			fc.property(fc.dictionary(fc.string(), value), (data) => {
				const plain = JSON.parse(JSON.stringify(data));
				const { text } = sealed({ data: plain });
				const read = proveLedger(Buffer.from(`${text}\n`), { path: 'ledger.jsonl', campaignId }).lines[0]!;
				expect(canonicalJson(read.data)).toBe(canonicalJson(plain));
			}),
			{ numRuns: 300 },
		);
	});
});

describe('a line of the ledger', () => {
	it('carries a digest that a shell recomputes', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		await writeFile(path, await sampleBytes());
		const recipe = `head -1 "$1" | sed 's/,"sha256":"[0-9a-f]*"}$//' | tr -d '\\n' | sha256sum`;
		const { stdout } = await promisify(execFile)('/bin/sh', ['-c', recipe, 'sh', path]);
		expect(stdout.slice(0, 64)).toBe((await readLedger({ path })).lines[0]?.sha256);
	});
});

describe('a damaged ledger', () => {
	it('is found at any changed byte, its last line and its line breaks included, with the place named', async () => {
		const bytes = await sampleBytes();
		const whole = proveLedger(bytes, { path: 'ledger.jsonl', campaignId });
		let place = 0;
		const starts = whole.lines.map((line) => {
			const start = place;
			place = bytes.indexOf('\n', bytes.indexOf(line.sha256, start)) + 1;
			return start;
		});
		expect(place).toBe(bytes.length);
		const missed: number[] = [];
		for (let index = 0; index < bytes.length; index++) {
			const at = starts.findLastIndex((start) => start <= index);
			for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 0x1f, 255]) {
				const changed = Buffer.from(bytes);
				changed[index]! ^= mask;
				try {
					proveLedger(changed, { path: 'ledger.jsonl', campaignId });
					missed.push(index);
				} catch (thrown) {
					const { code, data } = thrown as { code: string; data: { seq: number; byteOffset: number } };
					if (code !== 'LEDGER_CORRUPT') throw thrown;
					// A damaged break of the last line is noticed behind it.
					const found = data.byteOffset === bytes.length - 1 || starts[data.seq] === data.byteOffset;
					if (!found || data.seq > at + 1) missed.push(index);
				}
			}
		}
		expect(missed).toEqual([]);
	});

	it('is found when a line is missing, doubled, moved, or written by another campaign', async () => {
		const lines = (await sampleBytes()).toString('utf8').split('\n').slice(0, -1);
		const [a, b, c, d] = lines as [string, string, string, string];
		for (const [wrong, seq] of [
			[[b, c, d], 0],
			[[a, c, d], 1],
			[[a, b, b, c], 2],
			[[a, c, b, d], 1],
		] as const) {
			const bytes = Buffer.from(`${wrong.join('\n')}\n`);
			expect(() => proveLedger(bytes, { path: 'p', campaignId })).toThrow(
				expect.objectContaining({ code: 'LEDGER_CORRUPT', data: expect.objectContaining({ seq }) }),
			);
		}
		expect(() => proveLedger(Buffer.from(`${a}\n`), { path: 'p', campaignId: 'campaign-2' })).toThrow(
			/does not belong to campaign campaign-2/,
		);
	});

	it('is found when a middle line was rewritten with a digest of its own', async () => {
		const lines = (await sampleBytes()).toString('utf8').split('\n').slice(0, -1);
		const { sha256: _, ...fields } = JSON.parse(lines[2]!);
		lines[2] = sealLine({ ...fields, data: { score: 99 } }).text;
		expect(() => proveLedger(Buffer.from(`${lines.join('\n')}\n`), { path: 'p' })).toThrow(
			expect.objectContaining({
				data: expect.objectContaining({ seq: 3, reason: expect.stringContaining('line before it') }),
			}),
		);
	});

	it('is found when a line is chained and sealed rightly and numbered wrongly', () => {
		const { text } = sealed({ seq: 5 });
		expect(() => proveLedger(Buffer.from(`${text}\n`), { path: 'p', campaignId })).toThrow(/line 0 .*its number is 5/);
	});

	it.each<[string, (body: string) => string]>([
		['white space', (body) => body.replace('"seq":', '"seq": ')],
		['another order of keys', (body) => body.replace('"type":"cost","slice":0', '"slice":0,"type":"cost"')],
		['another order inside the data', (body) => body.replace('"a":1,"b":2', '"b":2,"a":1')],
		['a doubled key', (body) => body.replace('"a":1', '"a":0,"a":1')],
		['another spelling of a number', (body) => body.replace('"a":1', '"a":1.0')],
		['another spelling of a letter', (body) => body.replace('"a":1', '"\\u0061":1')],
		['an extra key', (body) => body.replace('"slice":0', '"slice":0,"extra":0')],
		['an unknown version', (body) => body.replace('"v":1', '"v":2')],
		['an unknown type', (body) => body.replace('"cost"', '"guess"')],
		['a number that JSON cannot hold', (body) => body.replace('"a":1', '"a":1e999')],
		['a fractional number', (body) => body.replace('"slice":0', '"slice":0.5')],
	])('is found when a line has %s, though its digest is right', (_name, change) => {
		const { text } = sealed({ data: { a: 1, b: 2 } });
		const body = text.slice(0, -77);
		const changed = change(body);
		expect(changed).not.toBe(body);
		const bytes = Buffer.from(`${changed},"sha256":"${sha256(changed)}"}\n`);
		expect(() => proveLedger(bytes, { path: 'p', campaignId })).toThrow(
			expect.objectContaining({ code: 'LEDGER_CORRUPT' }),
		);
	});

	it('is not opened for writing and not changed', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		const bytes = await sampleBytes();
		bytes[100]! ^= 1;
		const torn = Buffer.concat([bytes, Buffer.from('{"v":1,"se')]);
		await writeFile(path, torn);
		await expect(openLedger({ path, campaignId, slice: 1 })).rejects.toMatchObject({
			code: 'LEDGER_CORRUPT',
			category: 'usage',
		});
		expect(await readFile(path)).toEqual(torn);
	});
});

describe('a torn ledger', () => {
	it('reads as its complete lines at every place where the last append may have been cut off [E26]', async () => {
		const bytes = await sampleBytes();
		const start = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
		for (let length = start; length < bytes.length; length++) {
			const read = proveLedger(bytes.subarray(0, length), { path: 'p', campaignId });
			expect([read.lines.length, read.tornBytes]).toEqual([3, length - start]);
		}
	});

	it('is cut back on opening, says so, and goes on', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		const bytes = await sampleBytes();
		await writeFile(path, bytes);
		await appendFile(path, '{"v":1,"seq":4,"prev":"');
		expect((await readLedger({ path })).tornBytes).toBe(23);
		const ledger = await openLedger({ path, campaignId, slice: 1 });
		expect(ledger.tornBytes).toBe(23);
		await ledger.append(entry('repaired', { torn_bytes: ledger.tornBytes }));
		await ledger.close();
		expect((await readFile(path)).subarray(0, bytes.length)).toEqual(bytes);
		expect(await readLedger({ path })).toMatchObject({ tornBytes: 0, head: ledger.head });
	});
});

describe('a ledger that is not there', () => {
	it('is missing for a reader and empty for a writer', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		await expect(readLedger({ path })).rejects.toMatchObject({ code: 'LEDGER_MISSING', category: 'usage' });
		const ledger = await openLedger({ path, campaignId, slice: 0 });
		await ledger.close();
		await expect(readLedger({ path })).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
		expect(await readLedger({ path, campaignId })).toEqual({
			lines: [],
			head: sha256(campaignId),
			tornBytes: 0,
			campaignId,
		});
	});

	it('cannot be read without a campaign id when its first line does not open a campaign', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'ledger.jsonl');
		const ledger = await openLedger({ path, campaignId, slice: 0 });
		await ledger.append(entry('cost'));
		await ledger.close();
		await expect(readLedger({ path })).rejects.toMatchObject({
			code: 'LEDGER_CORRUPT',
			data: { seq: 0, byteOffset: 0 },
		});
		expect((await readLedger({ path, campaignId })).lines).toHaveLength(1);
	});
});

describe('a long ledger', () => {
	it('of 10,000 lines is proven at a few times the price of parsing and hashing them', () => {
		let prev = ledgerGenesis(campaignId);
		const texts = Array.from({ length: 10_000 }, (_, seq) => {
			const data = { score: seq / 7, records: { transcript: prev, diff: prev }, feedback: 'x'.repeat(200) };
			const { line, text } = sealed({ seq, prev, type: 'recorded', node_id: seq, attempt: 1, data });
			prev = line.sha256;
			return text;
		});
		const bytes = Buffer.from(`${texts.join('\n')}\n`);
		/** Processor time, so that a busy machine does not decide; the least of three. */
		const costOf = (work: () => void) => {
			const costs = [1, 2, 3].map(() => {
				const before = process.cpuUsage();
				work();
				return process.cpuUsage(before).user;
			});
			return Math.min(...costs);
		};
		expect(proveLedger(bytes, { path: 'p', campaignId }).lines).toHaveLength(10_000);
		const proven = costOf(() => proveLedger(bytes, { path: 'p', campaignId }));
		const parsed = costOf(() => {
			for (const text of texts) sha256(JSON.stringify(JSON.parse(text)));
		});
		// About 3 here; a reader that looks at every line again for each line would be at some thousands.
		expect(proven / parsed).toBeLessThan(25);
	});
});
