import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { readFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { captureData, captureSuite, inspectSuite, recheckSource, suiteFiles } from '../src/index.ts';
import { type Files, openDesk, squares } from './fixtures.ts';

const visibility = 'visible';

describe('capturing a suite', () => {
	it('takes every file as it is and gives equal bytes the same digest every time [A67, A71, EI08, EI12, EI42]', async () => {
		await using desk = await openDesk();
		const files: Files = {
			...squares,
			'run.sh': { executable: '#!/bin/sh\n' },
			'__pycache__/x.pyc': 'compiled',
			'übung.txt': 'ä',
		};
		const from = await desk.write('evaluation', files);

		const inspected = await inspectSuite({ from, visibility });
		const captured = await captureSuite({ from, to: desk.at('suite'), visibility });
		const again = await captureSuite({ from, to: desk.at('suite'), visibility });

		expect(captured.digest).toBe(inspected.digest);
		expect(again).toEqual(captured);
		expect(inspected.root).toBe(from);
		expect(await readFiles(desk.at('suite'))).toEqual(await readFiles(from));
		expect(captured.entries.map((entry) => entry.path)).toContain('__pycache__/x.pyc');
		expect(captured.evaluation?.score?.command).toEqual(['node', 'score.mjs']);
		const given: string[] = [];
		for await (const { path, mode } of suiteFiles(captured)) given.push(`${mode} ${path}`);
		expect(given).toContain('100755 run.sh');
		expect(given).toHaveLength(Object.keys(files).length);
	});

	it.each<[string, Files, string]>([
		['without a file [A68, EI10]', {}, 'SUITE_EMPTY'],
		['with a link in it [EI11]', { 'a.py': '', 'b.py': { link: 'a.py' } }, 'SUITE_LINK'],
		['with a dangling link deep in it', { 'a.py': '', 'x/y/b.py': { link: '/nowhere' } }, 'SUITE_LINK'],
		['that is itself a Git checkout', { 'a.py': '', '.git/HEAD': 'ref' }, 'SUITE_IS_REPOSITORY'],
		['that holds a Git checkout', { 'a.py': '', 'lib/.git': 'gitdir: /x' }, 'SUITE_IS_REPOSITORY'],
	])('refuses a folder %s before anything is created', async (_, files, code) => {
		await using desk = await openDesk();
		const from = await desk.write('evaluation', files);
		await mkdir(from, { recursive: true });

		await expect(captureSuite({ from, to: desk.at('suite'), visibility })).rejects.toMatchObject({
			code,
			category: 'usage',
		});

		expect(await readdir(desk.root)).toEqual(['evaluation']);
	});

	it('refuses what is no folder: missing, a file, a link to a folder [A70, A72, EI09]', async () => {
		await using desk = await openDesk();
		await desk.write('.', { file: '', link: { link: 'real' }, 'real/a.py': '' });
		const codeOf = (name: string) => inspectSuite({ from: desk.at(name), visibility }).catch((error) => error.code);

		expect(await codeOf('missing')).toBe('SUITE_MISSING');
		expect(await codeOf('file')).toBe('SUITE_MISSING');
		expect(await codeOf('link')).toBe('SUITE_LINK');
		expect(await codeOf('link/')).toBe('SUITE_LINK');
		expect(await captureData({ from: desk.at('missing'), to: desk.at('data') }).catch((error) => error.code)).toBe(
			'DATA_MISSING',
		);
	});

	it('refuses an output folder inside the suite, before and while capturing', async () => {
		await using desk = await openDesk();
		const from = await desk.write('evaluation', { 'a.py': '' });
		const output = `${from}/campaign`;

		await expect(inspectSuite({ from, visibility, output })).rejects.toMatchObject({ code: 'SUITE_CONTAINS_OUTPUT' });
		await expect(captureSuite({ from, visibility, to: output })).rejects.toMatchObject({
			code: 'SUITE_CONTAINS_OUTPUT',
		});
		await expect(captureData({ from, to: output })).rejects.toMatchObject({ code: 'DATA_CONTAINS_OUTPUT' });
		expect(await readdir(from)).toEqual(['a.py']);
	});

	it('refuses a mount that is not there', async () => {
		await using desk = await openDesk();
		const evaluation = 'version: 1\nmounts: [{path: /no/such/folder, at: /opt/x, digest: content}]\n';
		const from = await desk.write('evaluation', { 'kapso.evaluation.yaml': evaluation });

		await expect(inspectSuite({ from, visibility })).rejects.toMatchObject({ code: 'EVALUATION_FILE' });
	});

	it('refuses a pipe without opening it [T124]', async () => {
		await using desk = await openDesk();
		const from = await desk.write('evaluation', { 'a.py': '' });
		execFileSync('mkfifo', [`${from}/pipe`]);

		await expect(inspectSuite({ from, visibility })).rejects.toMatchObject({
			code: 'SUITE_ENTRY_KIND',
			data: { path: 'pipe' },
		});
	});

	it('names every problem of the evaluation file at once, with line, column and the nearest key [CONTRACTS 1]', async () => {
		await using desk = await openDesk();
		const from = await desk.write('evaluation', {
			'kapso.evaluation.yaml':
				'version: 1\nobjectiv: maximize\nscore:\n  command: node score.mjs\n  timeout_second: 3\nrepeats: 0\n',
		});

		const error = await inspectSuite({ from, visibility }).catch((thrown) => thrown);

		expect(error).toMatchObject({ code: 'EVALUATION_FILE', category: 'usage' });
		const lines = error.message.split('\n').map((line: string) => line.replace(from, '…'));
		expect(lines).toEqual(
			expect.arrayContaining([
				'…/kapso.evaluation.yaml:2:1: objectiv: unknown key; did you mean objective?',
				expect.stringMatching(/:4:12: score\.command: Invalid input: expected array/),
				'…/kapso.evaluation.yaml:5:3: score.timeout_second: unknown key; did you mean timeout_seconds?',
				expect.stringMatching(/:6:10: repeats: /),
			]),
		);
		expect(lines).toHaveLength(4);
	});

	it.each([
		['a key twice', 'version: 1\nrepeats: 1\nrepeats: 2\n', /:3:1: .*unique/i],
		['an alias', 'version: 1\nmetrics: &m [a]\nartifacts: *m\n', /aliases/],
		['a custom tag', 'version: 1\nmetrics: !!js/eval [a]\n', /tag/i],
		['two documents', 'version: 1\n---\nversion: 1\n', /document/i],
		['a run phase that nothing scores', 'version: 1\nrun: {command: [node, x.mjs]}\n', /run: needs a score phase/],
		['a target that is no number', 'version: 1\ntarget_score: .nan\n', /target_score/],
		[
			'a package manager [T024, T026]',
			'version: 1\nscore: {command: [npm, run, eval]}\n',
			/2:19: score\.command\.0: starts a package manager/,
		],
		['a shell line', 'version: 1\nscore: {command: ["node score.mjs"]}\n', /looks like a shell line/],
		['a pattern that leaves the folder', 'version: 1\nartifacts: [../x]\n', /must not contain \.\./],
		['a variable of the engine', 'version: 1\nenv: [PATH]\n', /PATH is set by the engine/],
		[
			'a mount over the sandbox',
			'version: 1\nmounts: [{path: /opt, at: /kapso/suite, digest: none}]\n',
			/\/kapso belongs to the sandbox/,
		],
		[
			'a driver that the run phase cannot see',
			'version: 1\nrun: {command: [node, a.mjs]}\nscore: {command: [node, a.mjs]}\n',
			/run\.files does not show/,
		],
	])('refuses an evaluation file with %s', async (_, text, message) => {
		await using desk = await openDesk();
		const from = await desk.write('evaluation', { 'kapso.evaluation.yaml': text, 'a.mjs': '' });

		const error = await inspectSuite({ from, visibility }).catch((thrown) => thrown);

		expect(error.code).toBe('EVALUATION_FILE');
		expect(error.message).toMatch(message);
	});

	it('takes the evaluation from configuration as part of the digest, and refuses it beside a file [T095]', async () => {
		await using desk = await openDesk();
		const from = await desk.write('evaluation', { 'score.mjs': '' });
		const inspect = (timeout_seconds: number) =>
			inspectSuite({
				from,
				visibility,
				evaluation: { version: 1, score: { command: ['node', 'score.mjs'], timeout_seconds } },
			});

		expect((await inspect(5)).digest).not.toBe((await inspect(6)).digest);
		expect((await inspect(5)).digest).toBe((await inspect(5)).digest);
		await desk.write('evaluation', { 'kapso.evaluation.yaml': 'version: 1\n' });
		await expect(inspect(5)).rejects.toMatchObject({ code: 'EVALUATION_TWICE' });
		const misnamed = await desk.write('other', { 'kapso.evaluation.yml': 'version: 1\n' });
		await expect(inspectSuite({ from: misnamed, visibility })).rejects.toMatchObject({ code: 'EVALUATION_FILE' });
	});

	it('refuses a private suite that nobody could run', async () => {
		await using desk = await openDesk();
		const from = await desk.write('evaluation', { 'evaluate.py': '' });

		await expect(inspectSuite({ from, visibility: 'private' })).rejects.toMatchObject({
			code: 'SUITE_PRIVATE_WITHOUT_SCORE',
		});
	});

	it('notices at the end that the caller’s own folder has changed [T094]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const data = await desk.data({ 'train.csv': '1,2\n' });

		await recheckSource(suite);
		await recheckSource(data);
		await desk.write('evaluation', { 'cases.json': '[1]', 'more.json': '' });
		await desk.write('datasets', { 'train.csv': '1,3\n' });

		await expect(recheckSource(suite)).rejects.toMatchObject({
			code: 'SUITE_CHANGED',
			data: { paths: ['cases.json', 'more.json'] },
		});
		await expect(recheckSource(data)).rejects.toMatchObject({ code: 'DATA_CHANGED', data: { paths: ['train.csv'] } });
	});
});
