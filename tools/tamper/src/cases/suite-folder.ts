import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@kapso-evolve/process';
import { git } from '@kapso-evolve/testkit';
import type { Site, TamperCase } from '../case.ts';
import { helperFile, lockedFile, scorerFile } from '../suite.ts';
import { each } from './plan.ts';

const inside = (path: string): string => `kapso_evaluation/${path}`;
const generous = {
	node: 'export const isRight = () => true;\n',
	python: 'def is_right(*_):\n    return True\n',
	shell: 'is_right() { :; }\n',
};
/** What it takes for a suite without cases to be won. */
const forged = '{"schema_version":1,"valid":true,"score":1}';

/** Files that some interpreter, loader, test runner or build tool picks up by their name. */
const loadable = [
	...[
		'extra.mjs',
		'extra.cjs',
		'extra.cts',
		'extra.wasm',
		'extra.lua',
		'extra.kts',
		'extra.php',
		'extra.so',
		'extra.pth',
	],
	...['package.json', 'tsconfig.json', 'jest.config.json', '.babelrc', '.mocharc.json', '.env', '.npmrc', 'Makefile'],
];

/** A module of another name whose bytecode is what the interpreter takes for the helper: never checked against a source. */
async function commitBytecode({ folder, arena }: Site): Promise<void> {
	const script = `import importlib._bootstrap_external as b, os, sys
source = 'def is_right(*_):\\n    return True\\n'
code = compile(source, 'helper.py', 'exec')
path = os.path.join('kapso_evaluation', '__pycache__', 'helper.' + sys.implementation.cache_tag + '.pyc')
os.makedirs(os.path.dirname(path), exist_ok=True)
open(path, 'wb').write(b._code_to_hash_pyc(code, b'12345678', False))
`;
	await run({ argv: ['python3', '-c', script], cwd: folder, env: { PATH: arena.path } });
	await commitAside(folder);
}

/** Commits what lies in the folder, ignored or not, and leaves the files as the parent has them. */
async function commitAside(folder: string): Promise<void> {
	await git(folder, 'add', '--all', '--force');
	await git(folder, 'commit', '--quiet', '--message', 'mine');
	await git(folder, 'checkout', '--quiet', '-b', 'rest', 'HEAD~1');
}

export const suiteFolderCases: readonly TamperCase[] = [
	...each({
		...{ name: 'weakens the tolerance', ids: 'T001 E44', expect: 'REJ' },
		change: { [inside('tolerance.txt')]: '1000000000\n' },
	}),
	...each({
		...{ name: 'makes the helper generous', ids: 'T001 D24', expect: 'REJ' },
		change: (language) => ({ [inside(helperFile(language))]: generous[language] }),
	}),
	...each({
		...{ name: 'appends a blank line to the scorer', ids: 'T001', expect: 'REJ' },
		act: ({ folder, language }) => writeFile(join(folder, inside(scorerFile(language))), '\n', { flag: 'a' }),
	}),
	...each({
		...{ name: 'keeps only the inputs that it gets right', ids: 'T002 T112', expect: 'REJ' },
		change: { [inside('inputs.txt')]: '2\n' },
	}),
	...each({
		...{ name: 'deletes the inputs', ids: 'T002', expect: 'REJ' },
		change: { [inside('inputs.txt')]: null },
	}),
	...each({
		...{ name: 'renames the inputs', ids: 'T002', expect: 'REJ' },
		change: { [inside('inputs.txt')]: null, [inside('inputs2.txt')]: '2\n' },
	}),
	...each({
		...{ name: 'deletes the whole folder', ids: 'T002', expect: 'REJ' },
		change: { kapso_evaluation: null },
	}),
	...each({
		...{ name: 'makes a data file executable', ids: 'D22', expect: 'REJ' },
		act: async ({ folder }) => {
			await rm(join(folder, inside('tolerance.txt')));
			await writeFile(join(folder, inside('tolerance.txt')), '0\n', { mode: 0o755 });
		},
	}),
	...each({
		...{ name: 'puts a link in place of the tolerance', ids: 'T016 D22', expect: 'REJ' },
		change: { [inside('tolerance.txt')]: { link: '../mine.txt' }, 'mine.txt': '1000000000\n' },
	}),
	...each({
		...{ name: 'adds a link beside the suite', ids: 'T016', expect: 'REJ' },
		change: { [inside('more')]: { link: '../mine' }, 'mine/inputs.txt': '2\n' },
	}),
	...each({
		...{ name: 'makes the suite folder a link', ids: 'T016', expect: 'REJ' },
		change: { kapso_evaluation: { link: 'mine' }, 'mine/inputs.txt': '2\n' },
	}),
	...each({
		...{ name: 'puts a file in place of the suite folder', ids: 'T016', expect: 'REJ' },
		act: async ({ folder }) => {
			await rm(join(folder, 'kapso_evaluation'), { recursive: true });
			await writeFile(join(folder, 'kapso_evaluation'), forged);
		},
	}),
	...each({
		...{ name: 'names a link like a cache folder', ids: 'T016 D22', expect: 'REJ' },
		change: { [inside('__pycache__')]: { link: '../mine' }, 'mine/a.pyc': '' },
	}),
	...each({
		...{ name: 'puts a named pipe in place of the tolerance', ids: 'T016 T124', expect: 'REJ' },
		act: async ({ folder, arena }) => {
			await rm(join(folder, inside('tolerance.txt')));
			await run({ argv: ['mkfifo', inside('tolerance.txt')], cwd: folder, env: { PATH: arena.path } });
		},
	}),
	...each({
		...{ name: 'adds a test runner’s plugin', ids: 'T003', expect: 'REJ' },
		change: { [inside('conftest.py')]: 'def pytest_runtest_makereport(*_): ...\n' },
	}),
	...each({
		...{ name: 'adds start-up code of the interpreter', ids: 'T003 T009 D22', expect: 'REJ' },
		change: (language) => ({
			[inside({ node: 'preload.cjs', python: 'sitecustomize.py', shell: '.profile' }[language])]: '',
		}),
	}),
	...each({
		...{
			name: 'commits bytecode that no source is checked against',
			ids: 'T004 D22',
			languages: ['python'],
			expect: 'NEU',
		},
		act: commitBytecode,
	}),
	...each({
		...{ name: 'adds a compiled package that outranks the helper', ids: 'T006', languages: ['python'], expect: 'REJ' },
		change: { [inside('helper/__init__.pyc')]: 'x' },
		act: ({ folder }) => commitAside(folder),
	}),
	...loadable.flatMap((file) =>
		each({ name: `adds ${file}`, ids: 'T009 D22', expect: 'REJ', change: { [inside(file)]: '{}\n' } }),
	),
	...each({
		...{ name: 'adds easy cases that a pattern picks up', ids: 'T011', expect: 'NEU' },
		change: { [inside('inputs-easy.txt')]: '2\n'.repeat(10_000) },
	}),
	...each({
		...{ name: 'spells a file again in capitals', ids: 'T013', expect: 'REJ' },
		change: { [inside('TOLERANCE.TXT')]: '1000000000\n' },
	}),
	...each({
		...{ name: 'spells a file again with a dot behind it', ids: 'T013', expect: 'REJ' },
		change: { [inside('tolerance.txt.')]: '1000000000\n' },
	}),
	...each({
		...{ name: 'spells a file again with an invisible letter', ids: 'T013', expect: 'REJ' },
		change: { [inside('toler\u200bance.txt')]: '1000000000\n' },
	}),
	...each({
		...{ name: 'spells the suite folder again in capitals', ids: 'T013', expect: 'REJ' },
		change: { 'Kapso_Evaluation/tolerance.txt': '1000000000\n' },
	}),
	...each({
		...{ name: 'plants a result for the suite to trust', ids: 'T017 T088', expect: 'NEU' },
		change: { [inside('result.json')]: forged, [inside('.cache/results.json')]: forged },
	}),
	...each({
		...{ name: 'adds a program without a suffix', ids: 'T009', expect: 'REJ' },
		change: { [inside('check')]: { executable: '#!/bin/sh\n' } },
	}),
	...each({
		...{ name: 'adds a script without a suffix and without the executable bit', ids: 'T009', expect: 'REJ' },
		change: { [inside('check')]: '#!/bin/sh\n' },
	}),
	...each({
		...{ name: 'shortens the suite’s time limits', ids: 'T095 T134', expect: 'REJ' },
		act: ({ folder }) => writeFile(join(folder, inside('kapso.evaluation.yaml')), 'max_retries: 9\n', { flag: 'a' }),
	}),
	...each({
		...{ name: 'adds a second evaluation file', ids: 'T134', expect: 'REJ' },
		change: { [inside('kapso.evaluation.json')]: '{"version":1}' },
	}),
	...each({
		...{ name: 'puts a pointer of a large-file store in place of the inputs', ids: 'T073', expect: 'REJ' },
		change: {
			[inside('inputs.txt')]: `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 1\n`,
		},
	}),
	...each({
		...{ name: 'makes a repository of its own inside the suite', ids: 'T074', expect: 'NEU' },
		act: async ({ folder }) => {
			await mkdir(join(folder, inside('more')));
			await git(join(folder, inside('more')), 'init', '--quiet');
			await writeFile(join(folder, inside('more/inputs.txt')), '2\n');
		},
	}),
	...each({
		...{ name: 'rewrites the labels', ids: 'D22 T099', expect: 'REJ' },
		change: { 'kapso_datasets/labels.txt': [4, 6, 8, 10, 12, 14, 16, 18].join('\n') },
	}),
	...each({
		...{ name: 'deletes the labels', ids: 'D22', expect: 'REJ' },
		change: { 'kapso_datasets/labels.txt': null },
	}),
	...each({
		...{ name: 'adds labels of its own', ids: 'T011 T135', expect: 'NEU' },
		change: { 'kapso_datasets/labels.csv': '4\n6\n' },
	}),
	...each({
		...{ name: 'edits a lock file that the suite protects', ids: 'T035', expect: 'REJ' },
		change: { [lockedFile]: 'grader-library 6.6.6\n' },
	}),
	...each({
		...{ name: 'commits an edit of the suite and puts the files back', ids: 'T078', expect: 'REJ' },
		change: { [inside('tolerance.txt')]: '1000000000\n' },
		act: ({ folder }) => commitAside(folder),
	}),
];
