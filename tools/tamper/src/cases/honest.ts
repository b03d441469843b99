import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change, HonestCase } from '../case.ts';
import { type Language, languages, perfectProgram } from '../language.ts';

interface Plan {
	readonly name: string;
	readonly change?: Change | ((language: Language) => Change);
	readonly act?: HonestCase['act'];
	/** Default: the perfect program comes with it. */
	readonly earns?: 'base';
}

const inside = (path: string): string => `kapso_evaluation/${path}`;
const beside = (...paths: readonly string[]): Change =>
	Object.fromEntries(paths.map((path) => [inside(path), 'made by a tool\n']));
const here = (...paths: readonly string[]): Change => Object.fromEntries(paths.map((path) => [path, 'mine\n']));

const plans: readonly Plan[] = [
	{ name: 'a better program and nothing else' },
	{ name: 'a note and the same program', earns: 'base' },
	// What running the suite leaves beside it.
	{
		name: 'bytecode in its cache folder',
		change: beside('__pycache__/helper.cpython-312.pyc', '__pycache__/score.cpython-312.opt-1.pyc'),
	},
	{
		name: 'caches of test tools',
		change: beside(
			'.pytest_cache/v/cache/lastfailed',
			'.mypy_cache/3.12/a.json',
			'.ruff_cache/CACHEDIR.TAG',
			'.nyc_output/a.json',
		),
	},
	{ name: 'logs', change: beside('run.log', 'logs/one.txt', 'score.stdout', 'score.stderr') },
	{
		name: 'a log that everybody may write and run',
		act: async ({ folder }) => {
			await writeFile(join(folder, inside('run.log')), 'x\n');
			await chmod(join(folder, inside('run.log')), 0o777);
		},
	},
	{ name: 'a result', change: { [inside('result.json')]: '{"score":0.5}' } },
	{
		name: 'results of other formats',
		change: beside('results.yaml', 'results.toml', 'results.csv', 'junit.xml', 'report.html', 'metrics.jsonl'),
	},
	{
		name: 'a coverage report with its scripts',
		change: beside(
			'htmlcov/index.html',
			'htmlcov/coverage_html.js',
			'htmlcov/style.css',
			'coverage/lcov-report/prettify.js',
			'coverage/lcov.info',
		),
	},
	{ name: 'coverage data', change: beside('.coverage', '.coverage.host.12.34', 'coverage.xml') },
	{
		name: 'reports of test runners',
		change: beside('test-results/junit.xml', 'playwright-report/index.html', 'allure-results/a.json'),
	},
	{
		name: 'predictions and plots',
		change: beside('predictions.csv', 'predictions.parquet', 'plots/loss.py.png', 'plots/curve.svg', 'outputs.npz'),
	},
	{ name: 'artifacts that the suite allows', change: beside('plots/plot.py', 'plots/deep/config.yaml') },
	{
		name: 'data beside the caller’s data',
		change: { 'kapso_datasets/cache.bin': 'x', 'kapso_datasets/derived/features.csv': '1\n' },
	},
	// Its own files, where nothing is protected.
	{ name: 'a notebook', change: here('analysis.ipynb') },
	{ name: 'line-end rules for its own files', change: { '.gitattributes': '* text eol=crlf\n*.txt ident\n' } },
	{
		name: 'binary rules and filters for its own files',
		change: { '.gitattributes': '*.bin binary\n*.ipynb filter=nbstripout\n', 'a.bin': new Uint8Array([0, 1, 2, 255]) },
	},
	{ name: 'files with Windows line ends', change: { 'windows.txt': 'one\r\ntwo\r\n', 'mixed.txt': 'one\r\ntwo\n' } },
	{ name: 'a renamed file', change: { 'README.md': null, 'READ ME.md': 'A program that squares.\n' } },
	{ name: 'a deleted file', change: { 'README.md': null } },
	{
		name: 'new executables',
		change: { 'bin/tool': { executable: '#!/bin/sh\nexit 0\n' }, 'run.sh': { executable: '#!/bin/sh\n' } },
	},
	{
		name: 'links inside of its folder',
		change: { 'docs/latest': { link: '../README.md' }, 'alias.md': { link: 'README.md' } },
	},
	{ name: 'a link to a folder', change: { 'lib/a.txt': 'a\n', current: { link: 'lib' } } },
	{
		name: 'its own tests',
		change: here('tests/test_solve.py', 'tests/solve.test.js', 'tests/solve.bats', 'test/conftest.py'),
	},
	{
		name: 'its own test configuration',
		change: here('pytest.ini', 'vitest.config.js', 'jest.config.js', '.mocharc.json', 'conftest.py'),
	},
	{
		name: 'new dependencies and their lock files',
		change: here('requirements.txt', 'package-lock.json', 'pnpm-lock.yaml', 'poetry.lock', 'uv.lock'),
	},
	{ name: 'package settings', change: { 'package.json': '{"type":"module","scripts":{"test":"node --test"}}\n' } },
	{ name: 'names in other scripts', change: here('größe.txt', '日本語/ファイル.txt', 'Ωμέγα.md', 'emoji 🎉.txt') },
	{
		name: 'names with blanks, quotes and signs',
		change: here('a b.txt', "it's.txt", 'a"b.txt', 'a&b;c.txt', '-dash.txt', '#hash.txt'),
	},
	{
		name: 'thousands of files',
		change: Object.fromEntries(
			Array.from({ length: 1500 }, (_, index) => [`data/${index % 30}/${index}.txt`, `${index}\n`]),
		),
	},
	{ name: 'a large file', change: { 'weights.bin': new Uint8Array(3_000_000).fill(7) } },
	{
		name: 'an empty file and a hidden one',
		change: { empty: '', '.hidden': 'x\n', '.github/workflows/ci.yml': 'on: push\n' },
	},
	{ name: 'deep folders', change: here(`${'deep/'.repeat(30)}file.txt`) },
	{
		name: 'ignore rules and ignored files',
		change: { '.gitignore': 'build/\n*.o\n', 'build/out.txt': 'x', 'a.o': 'x' },
	},
	{
		name: 'a repository of its own inside',
		act: async ({ folder }) => {
			await mkdir(join(folder, 'vendor', 'lib', '.git', 'objects'), { recursive: true });
			await writeFile(join(folder, 'vendor', 'lib', '.git', 'HEAD'), 'ref: refs/heads/main\n');
			await writeFile(join(folder, 'vendor', 'lib', 'a.txt'), 'a\n');
		},
	},
	{ name: 'build files', change: here('Makefile', 'CMakeLists.txt', 'Dockerfile', 'setup.py', 'Cargo.toml', 'go.mod') },
	{
		name: 'settings of editors and tools',
		change: here('.vscode/settings.json', '.editorconfig', '.prettierrc', '.nvmrc', '.envrc'),
	},
	{
		name: 'a folder named like a cache of the suite’s',
		change: here('kapso_evaluation_notes/a.md', 'evaluation/b.md'),
	},
	{
		name: 'compiled files of its own',
		change: {
			'lib/native.so': new Uint8Array([127, 69, 76, 70]),
			'lib/a.class': new Uint8Array([202, 254]),
			'lib/a.wasm': new Uint8Array([0, 97, 115, 109]),
		},
	},
	{
		name: 'its program in several files',
		change: (language) => ({ [`lib/square.${{ node: 'js', python: 'py', shell: 'sh' }[language]}`]: 'x\n' }),
	},
	{ name: 'output on both streams', change: (language) => noisy(language) },
	{ name: 'a helper that it runs', change: (language) => forking(language) },
];

function noisy(language: Language): Change {
	const [[file, text]] = Object.entries(perfectProgram(language)) as [[string, string]];
	const noise = {
		node: `console.log('score 0.1'); console.error('warning');`,
		python: `import sys\nprint('score 0.1')\nprint('warning', file=sys.stderr)`,
		shell: `echo warning >&2`,
	}[language];
	return { [file]: `${noise}\n${text}` };
}

function forking(language: Language): Change {
	const [[file, text]] = Object.entries(perfectProgram(language)) as [[string, string]];
	const call = {
		node: `import { execFileSync } from 'node:child_process'; execFileSync('/bin/true');`,
		python: `import subprocess\nsubprocess.run(['/bin/true'], check=True)`,
		shell: '/bin/true',
	}[language];
	return { [file]: `${call}\n${text}` };
}

/** Candidates that nobody may reject, each in every language. */
export const honestCases: readonly HonestCase[] = languages.flatMap((language) =>
	plans.map(({ name, change, act, earns }) => ({
		name,
		language,
		earns: earns ?? 'perfect',
		change: {
			...(earns === 'base' ? {} : perfectProgram(language)),
			...(typeof change === 'function' ? change(language) : change),
		},
		...(act === undefined ? {} : { act }),
	})),
);
