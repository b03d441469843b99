import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { readReport, reportInstructions } from '../src/index.ts';
import { attempt } from './fixture.ts';

const nonce = 'n-77';
const json = (fields: object = {}): string => JSON.stringify({ schema_version: 1, nonce, summary: 's', ...fields });
const block = (body: string, tag = nonce): string => `<kapso_report nonce="${tag}">${body}</kapso_report>`;
const told = (answer: string) => readReport({ path: '/no/such/report', nonce, answer });

describe('a report in the answer', () => {
	it('is the last complete one that carries the nonce [D21]', async () => {
		const answer = `${block(json({ score: 0.1 }))} more ${block(json({ score: 0.2 }))} <kapso_report nonce="n-77">{"cut`;
		expect((await told(answer))?.score).toBe(0.2);
	});

	it.each([
		['an echoed template', block(json({ nonce: '<NONCE>', score: 0.95 }), '<NONCE>')],
		['a block of another attempt', block(json({ nonce: 'n-76', score: 1 }), 'n-76')],
		['a tag with the nonce around another nonce’s report', block(json({ nonce: 'n-76', score: 1 }))],
		['a block without a nonce', `<kapso_report>${json({ score: 1 })}</kapso_report>`],
		['tags of other programs', '<score>1.0</score><stop>true</stop>'],
		['a bare report', json({ score: 1 })],
		['a fenced report', `\`\`\`json\n${json({ score: 1 })}\n\`\`\``],
		['an unfinished block', `<kapso_report nonce="n-77">${json({ score: 1 })}`],
		['a nonce that only starts alike', block(json({ nonce: 'n-778' }), 'n-778')],
	])('is not %s [D21]', async (_, answer) => {
		expect(await told(answer)).toBeNull();
	});

	it('is not hidden by what only looks like one after it [D21]', async () => {
		const quoted = `${block(json({ nonce: 'other', score: 1 }), 'other')}\n${block('{…}')}`;
		expect((await told(`${block(json({ score: 0.4 }))}\n${quoted}`))?.score).toBe(0.4);
	});

	it('never comes from the instructions themselves, however often they are echoed [D21]', async () => {
		const text = reportInstructions(nonce);
		expect(text).toContain(nonce);
		expect(await told(`${text}\n${text}`)).toBeNull();
	});

	it('may speak of its own closing tag', async () => {
		const body = json({ summary: 'wrote </kapso_report>' }).replace('</', '<\\/');
		expect((await told(block(body)))?.summary).toBe('wrote </kapso_report>');
	});

	it('is found in time in an answer full of openings', { timeout: 3000 }, async () => {
		const openings = '<kapso_report nonce="n-77">'.repeat(40_000);
		expect((await told(openings + block(json({ score: 0.3 }))))?.score).toBe(0.3);
		expect(await told(openings)).toBeNull();
		expect(await told(`${openings}</kapso_report>`)).toBeNull();
	});
});

describe('a report file', () => {
	it('wins over the answer, and the answer stands in for one that is no report', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'report.json');
		const answer = block(json({ summary: 'told' }));
		await writeFiles(folder.path, { 'report.json': json({ summary: 'written' }) });
		expect((await readReport({ path, nonce, answer }))?.summary).toBe('written');
		await writeFiles(folder.path, { 'report.json': '{"schema_version": 1, "nonce"' });
		expect((await readReport({ path, nonce, answer }))?.summary).toBe('told');
	});

	it('is not followed through a link, nor read from a folder', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'elsewhere.json': json() });
		await symlink(join(folder.path, 'elsewhere.json'), join(folder.path, 'link.json'));
		await mkdir(join(folder.path, 'folder.json'));
		expect(await readReport({ path: join(folder.path, 'link.json'), nonce })).toBeNull();
		expect(await readReport({ path: join(folder.path, 'folder.json'), nonce })).toBeNull();
	});

	const raw = (cost: string) =>
		`writeFileSync(reportPath, '{"schema_version":1,"nonce":"nonce-1","summary":"s","cost_usd":${cost}}')`;
	it.each([
		['a cost that is text', `report({ cost_usd: '1.5' })`, 'cost_usd'],
		['a negative cost', 'report({ cost_usd: -1 })', 'cost_usd'],
		['a cost of NaN', raw('NaN'), 'not JSON'],
		['a cost beyond all numbers', raw('1e999'), 'cost_usd'],
		['a score that is true', 'report({ score: true })', 'score'],
		['another version', 'report({ schema_version: 2 })', 'schema_version'],
		['another nonce', `report({ nonce: 'guessed' })`, 'another attempt'],
		['bytes that are not UTF-8', 'writeFileSync(reportPath, Buffer.from([0x7b, 0xff, 0x7d]))', 'UTF-8'],
		['more than a MiB', `report({ summary: 'x'.repeat(1024 * 1024) })`, 'larger'],
		['a link in its place', `writeFileSync('r', 'x'); symlinkSync(process.cwd() + '/r', reportPath)`, 'was not read'],
		['a folder in its place', 'mkdirSync(reportPath)', 'was not read'],
		[
			'a pipe in its place',
			`spawn('mkfifo', [reportPath]); while (!existsSync(reportPath)) await pause(20)`,
			'was not read',
		],
	])('with %s is refused, and the outcome says why', async (_, script, reason) => {
		await using root = await temporaryFolder();
		const outcome = await attempt({ folder: root.path, script });
		expect(outcome).toMatchObject({ status: 'no-report', report: null, costUsd: null });
		expect(outcome.reason).toContain(reason);
	});
});
