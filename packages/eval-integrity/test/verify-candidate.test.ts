import { type FileContent, writeFiles } from '@kapso-evolve/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { folderTree, verifyCandidate } from '../src/index.ts';
import { type Files, judgeFiles, openDesk, squares } from './fixtures.ts';

const provided: Files = {
	...squares,
	'helper.py': 'x = 1\n',
	'cases/a.json': '{}',
	'run.sh': { executable: '#!/bin/sh\n' },
	'kapso.evaluation.yaml': `${squares['kapso.evaluation.yaml'] as string}artifacts: ['plots/**', '*.generated.js']\n`,
};
const inSuite = (path: string): string => `kapso_evaluation/${path}`;
type Change = Readonly<Record<string, FileContent | null>>;

const shared = await openDesk();
const sharedSuite = await shared.suite(provided);
afterAll(() => shared[Symbol.asyncDispose]());

function judge(change: Change, level: 'sealed' | 'suite-sealed' | 'unsealed' | 'published-rule' = 'sealed') {
	return judgeFiles(shared, { suite: sharedSuite, provided, change, level });
}

describe('a candidate’s tree against the caller’s suite', () => {
	it('is valid when nothing in the suite folder changed [A78, EI14, EI19]', async () => {
		expect(await judge({ 'solve.js': 'export const better = true;\n', 'new/module.py': '' })).toMatchObject({
			valid: true,
			stripped: [],
		});
	});

	it.each<[string, Change, string]>([
		['a weakened file [A74, T001, EI20]', { [inSuite('score.mjs')]: 'cheat' }, 'changed: kapso_evaluation/score.mjs'],
		['a deleted file [A75, T002]', { [inSuite('cases/a.json')]: null }, 'missing: kapso_evaluation/cases/a.json'],
		['a dropped executable bit [D22]', { [inSuite('run.sh')]: '#!/bin/sh\n' }, 'changed: kapso_evaluation/run.sh'],
		[
			'an added executable bit',
			{ [inSuite('helper.py')]: { executable: 'x = 1\n' } },
			'changed: kapso_evaluation/helper.py',
		],
		[
			'a file that became a link [T016]',
			{ [inSuite('helper.py')]: { link: '../solve.js' } },
			'changed: kapso_evaluation/helper.py',
		],
		[
			'an edited evaluation file [T134, T095]',
			{ [inSuite('kapso.evaluation.yaml')]: 'version: 1\n' },
			'changed: kapso_evaluation/kapso.evaluation.yaml',
		],
		['carriage returns in the bytes', { [inSuite('helper.py')]: 'x = 1\r\n' }, 'changed: kapso_evaluation/helper.py'],
	])('rejects %s at every level', async (_, change, error) => {
		for (const level of ['sealed', 'published-rule'] as const) {
			const verdict = await judge(change, level);
			expect(verdict).toMatchObject({ valid: false, error: `Provided evaluation integrity check failed (${error})` });
		}
	});

	it.each<[string, FileContent]>([
		['conftest.py', 'import os'], // T003
		['config.yaml', 'a: 1'],
		['notebook.ipynb', '{}'],
		['EVIL.PY', ''],
		['tool', { executable: 'anything' }], // EI22
		['data.json', { executable: '{}' }],
		['link.txt', { link: 'cases/a.json' }], // T016
		['__pycache__', { link: 'cases' }], // D22
		['helper/__init__.pyc', 'x'], // T006
		['x.mjs', ''], // T009 and its relatives
		['x.cjs', ''],
		['x.mts', ''],
		['x.cts', ''],
		['x.wasm', ''],
		['x.php', ''],
		['x.lua', ''],
		['x.kts', ''],
		['x.so', ''],
		['x.so.1', ''],
		['x.node', ''],
		['x.pyd', ''],
		['package.json', '{}'],
		['sub/package.json', '{}'],
		['coverage/package.json', '{}'],
		['tsconfig.json', '{}'],
		['tsconfig.base.json', '{}'],
		['jest.config.json', '{}'],
		['.babelrc', '{}'],
		['.mocharc.json', '{}'],
		['.coveragerc', ''],
		['.env', ''],
		['.env.local', ''],
		['.npmrc', ''],
		['.envrc', ''],
		['Makefile', ''],
		['makefile', ''],
		['Dockerfile', ''],
		['requirements.txt', ''],
		['pytest.ini', ''],
		['kapso.evaluation.yml', 'version: 1'], // T134
		['kapso.evaluation.json', '{}'],
		['script', '#!/usr/bin/env python3\n'],
		['program', Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2])],
		['node_modules/assert/index.json', '{}'], // T027
		['results/helper.py', ''],
		['reports/run.sh', ''],
		['logs/run.sh', ''],
		['.pytest_cache/conftest.py', ''],
		['CASES/b.json', '{}'], // T013
		['Helper.PY', ''],
		['cases/A.json', '{}'],
		['cases/a.json ', '{}'],
		['cases/a\u200d.json', '{}'],
	])('rejects the new file %s in the suite folder [D22, T009, EI21, EI22, EI27]', async (path, content) => {
		const verdict = await judge({ [inSuite(path)]: content });
		expect(verdict).toMatchObject({ valid: false, paths: [inSuite(path)] });
		expect(verdict).toMatchObject({ error: expect.stringMatching(/^Provided evaluation integrity check failed \(/) });
	});

	it.each<[string, FileContent]>([
		['result.json', '{"score": 1}'], // A73, T017
		['results.yaml', ''],
		['results/run-1/summary.json', ''],
		['run.log', ''],
		['run.log.1', { executable: 'a log on a file system where everything is executable' }],
		['logs/today.txt', ''],
		['junit.xml', ''],
		['coverage.xml', ''],
		['.coverage', ''],
		['coverage/lcov-report/prettify.js', ''],
		['coverage/index.html', ''],
		['htmlcov/coverage_html_cb_6fb7b396.js', ''],
		['htmlcov/style.css', ''],
		['reports/summary.yaml', ''],
		['predictions.csv', ''],
		['predictions.parquet', ''],
		['model-output.npy', ''],
		['.pytest_cache/v/cache/lastfailed', '{}'],
		['.pytest_cache/README.md', ''],
		['.pytest_cache/.gitignore', '*'],
		['.mypy_cache/3.11/helper.data.json', ''],
		['.hypothesis/examples/0a/1b', 'bytes'],
		['__pycache__/helper.cpython-311.pyc', 'compiled'],
		['__pycache__/helper.cpython-311.pyc', { executable: 'takes over the mode of its source' }],
		['node_modules/.cache/x.bin', ''],
		['plots/figure.js', ''],
		['view.generated.js', ''],
		['plots/tool', { executable: '' }],
		['extra/10000.json', '{}'], // T011
		['répertoire/größe.txt', ''],
		['notes', 'plain text'],
		['.gitignore', 'result.json'],
		['.gitattributes', '* text eol=crlf'],
	])('strips the new file %s and lists it [A73, EI02, EI23, EI24, EI25, EI26, T011, T017]', async (path, content) => {
		expect(await judge({ [inSuite(path)]: content })).toMatchObject({ valid: true, stripped: [inSuite(path)] });
		expect(await judge({ [inSuite(path)]: content }, 'published-rule')).toMatchObject({ valid: true });
	});

	it('says under the published rule that compiled files may have been loaded, and who ran the suite [D22, D24, EI47]', async () => {
		const change = { [inSuite('__pycache__/helper.cpython-311.pyc')]: 'compiled' };
		const published = await judge(change, 'published-rule');
		const sealed = await judge(change, 'sealed');

		expect(published).toMatchObject({ notProven: expect.arrayContaining(['bytecode', 'agent-ran-suite']) });
		expect(sealed).toMatchObject({ valid: true });
		expect('notProven' in sealed && sealed.notProven).not.toContain('bytecode');
	});

	it('names everything that is wrong at once, gravest first, and no control character reaches a terminal', async () => {
		const verdict = await judge({
			[inSuite('score.mjs')]: 'cheat',
			[inSuite('cases/a.json')]: null,
			[inSuite('conftest.py')]: '',
			[inSuite('a\u001b[2J; changed: x.py')]: '',
		});
		expect(verdict).toEqual({
			valid: false,
			code: 'INTEGRITY_MISSING',
			error:
				'Provided evaluation integrity check failed (missing: kapso_evaluation/cases/a.json; changed: kapso_evaluation/score.mjs; unexpected evaluator source: "kapso_evaluation/a\\u001b[2J; changed: x.py", kapso_evaluation/conftest.py)',
			paths: expect.any(Array),
		});
	});

	it.each<[string, Change]>([
		['a link', { kapso_evaluation: { link: 'mine' } }],
		['a file', { kapso_evaluation: 'mine' }],
	])('rejects a suite folder that became %s [T016]', async (_, change) => {
		await using desk = await openDesk();
		const suite = await desk.suite(provided);
		await writeFiles(desk.at('tree'), change as Files);
		const verdict = await verifyCandidate({ tree: folderTree(desk.at('tree')), suite, data: null, level: 'sealed' });
		expect(verdict).toMatchObject({ valid: false });
	});

	it('rejects a twin of the suite folder by letter case [T013]', async () => {
		expect(await judge({ 'Kapso_Evaluation/conftest.py': '' })).toMatchObject({
			valid: false,
			code: 'INTEGRITY_COLLISION',
		});
	});

	it('rejects gitlinks in the suite folder and leaves those outside alone [T074]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(provided);
		const plain = folderTree(desk.at('suite'));
		const withGitlink = (path: string) => ({
			entries: async () => [
				...(await plain.entries()).map((entry) => ({ ...entry, path: inSuite(entry.path) })),
				{ path, mode: '160000', type: 'gitlink' as const, size: 0 },
			],
			read: (name: string) => plain.read(name.slice('kapso_evaluation/'.length)),
		});
		const judgeTree = (path: string) =>
			verifyCandidate({ tree: withGitlink(path), suite, data: null, level: 'sealed' });

		expect(await judgeTree(inSuite('vendor'))).toMatchObject({ valid: false, code: 'INTEGRITY_LINK' });
		expect(await judgeTree('vendor')).toMatchObject({ valid: true });
	});

	it('never uses what a candidate has under the name of a private suite', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(provided, { visibility: 'private' });
		const change = { [inSuite('score.mjs')]: 'cheat', [inSuite('conftest.py')]: '' };
		const verdict = await judgeFiles(desk, { suite, provided: {}, change });
		expect(verdict).toMatchObject({ valid: true, stripped: [inSuite('conftest.py'), inSuite('score.mjs')] });
		expect(verdict).not.toMatchObject({ notProven: expect.arrayContaining(['visible-suite']) });
	});

	it('protects data in the same way, and strips a candidate’s own when there is none of the caller’s [A84, D22, T135]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(provided);
		const data = await desk.data({ 'train.csv': 'a,1\n', 'labels/.hidden.csv': '1\n' });
		const honest = { 'kapso_datasets/train.csv': 'a,1\n', 'kapso_datasets/labels/.hidden.csv': '1\n' };
		const judgeData = (change: Change) => judgeFiles(desk, { suite, provided, data, change: { ...honest, ...change } });

		expect(await judgeData({ 'kapso_datasets/predictions.csv': '' })).toMatchObject({ valid: true });
		expect(await judgeData({ 'kapso_datasets/train.csv': 'a,2\n' })).toMatchObject({
			error: 'Provided evaluation integrity check failed (changed: kapso_datasets/train.csv)',
		});
		expect(await judgeData({ 'kapso_datasets/labels/.hidden.csv': null })).toMatchObject({ code: 'INTEGRITY_MISSING' });
		expect(await judgeData({ 'kapso_datasets/loader.py': '' })).toMatchObject({ code: 'INTEGRITY_SOURCE' });
		expect(await judgeFiles(desk, { suite, provided, change: { 'kapso_datasets/train.csv': 'mine' } })).toMatchObject({
			valid: true,
			stripped: ['kapso_datasets/train.csv'],
		});
	});

	it('compares declared paths with the baseline, and refuses to judge without one [A84, T035]', async () => {
		await using desk = await openDesk();
		const evaluation = {
			version: 1,
			score: { command: ['node', 'score.mjs'] },
			protected_paths: ['data/**', 'package-lock.json'],
		} as const;
		const files: Files = { 'score.mjs': '' };
		const suite = await desk.suite(files, {
			evaluation: {
				...evaluation,
				score: { command: ['node', 'score.mjs'] },
				protected_paths: [...evaluation.protected_paths],
			},
		});
		const baseline = folderTree(
			await desk.write('baseline', { 'data/train.csv': '1', 'data/.hidden': '2', 'other.js': '' }),
		);
		const before = { 'data/train.csv': '1', 'data/.hidden': '2' };
		const judgeChange = (change: Change) =>
			judgeFiles(desk, { suite, provided: files, change: { ...before, ...change }, baseline });

		expect(await judgeChange({ 'other.js': 'changed' })).toMatchObject({ valid: true });
		expect(await judgeChange({ 'data/train.csv': '9' })).toMatchObject({
			error: expect.stringContaining('changed: data/train.csv'),
		});
		expect(await judgeChange({ 'data/.hidden': '3' })).toMatchObject({
			error: expect.stringContaining('changed: data/.hidden'),
		});
		expect(await judgeChange({ 'data/train.csv': null })).toMatchObject({ code: 'INTEGRITY_MISSING' });
		expect(await judgeChange({ 'package-lock.json': '{}' })).toMatchObject({ code: 'INTEGRITY_PROTECTED' });
		await expect(judgeFiles(desk, { suite, provided: files, change: {} })).rejects.toMatchObject({
			code: 'BASELINE_NEEDED',
		});
	});
});
