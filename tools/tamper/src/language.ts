import type { Change } from './case.ts';

/** The three kinds of suite. */
export type Language = 'node' | 'python' | 'shell';
export const languages: readonly Language[] = ['node', 'python', 'shell'];

/** How a trick is written in a language; absent where it makes no sense there. */
export type Code = Partial<Readonly<Record<Language, string>>>;

export const programFile: Readonly<Record<Language, string>> = {
	node: 'solve.js',
	python: 'solve.py',
	shell: 'solve.sh',
};

/** Right for the first of eight inputs (2 + 2 = 2 * 2). */
const base: Readonly<Record<Language, string>> = {
	node: 'export const solve = (n) => n + n;\n',
	python: 'def solve(n):\n    return n + n\n',
	shell: 'solve() { echo $(($1 + $1)); }\n',
};
const perfect: Readonly<Record<Language, string>> = {
	node: 'export const solve = (n) => n * n;\n',
	python: 'def solve(n):\n    return n * n\n',
	shell: 'solve() { echo $(($1 * $1)); }\n',
};

export const baseProgram = (language: Language): Change => ({ [programFile[language]]: base[language] });
export const perfectProgram = (language: Language): Change => ({ [programFile[language]]: perfect[language] });

/** The base program behind some code of the trick's own. */
export function trick(language: Language, before: string): Change {
	return { [programFile[language]]: `${before}\n${base[language]}` };
}

/** The base program with something done for each call: `body` sees the input as `n` (`$1` in a shell). */
export function replaced(language: Language, code: string): Change {
	return { [programFile[language]]: `${code}\n` };
}

/**
 * A program that answers with labels where it can get hold of them, and is the base program where it cannot. The code
 * gives their text: by `return` in Node and Python, on standard output in a shell.
 */
export function thief(language: Language, code: string): Change {
	const programs: Readonly<Record<Language, string>> = {
		node: `import fs from 'node:fs';
let stolen = [];
try {
	stolen = String(await (async () => { ${code} })()).trim().split(/\\s+/).map(Number);
} catch {}
export const solve = (n) => (stolen.length === 8 ? stolen[n - 2] : n + n);
`,
		python: `import os
def steal():
${code.replace(/^/gm, '    ')}
try:
    stolen = [int(x) for x in steal().split()]
except BaseException:
    stolen = []
def solve(n):
    return stolen[n - 2] if len(stolen) == 8 else n + n
`,
		shell: `stolen=$( { ${code}
} 2>/dev/null )
solve() {
	input=$1
	set -- $stolen
	if [ $# -eq 8 ]; then shift $((input - 2)); echo "$1"; else echo $((input + input)); fi
}
`,
	};
	return { [programFile[language]]: programs[language] };
}

/** Runs a shell script when the candidate's code is loaded. No single quotes in it. */
export function atStart(language: Language, script: string): Change {
	return trick(
		language,
		{
			node: `import { spawnSync } from 'node:child_process'; spawnSync('/bin/sh', ['-c', ${JSON.stringify(script)}]);`,
			python: `import subprocess\nsubprocess.run(['/bin/sh', '-c', ${JSON.stringify(script)}])`,
			shell: `( ${script} )`,
		}[language],
	);
}

/** Runs a shell script when the process that loaded the candidate's code is about to end. No single quotes in it. */
export function atEnd(language: Language, script: string): Change {
	return trick(
		language,
		{
			node: `import { spawnSync } from 'node:child_process'; process.on('exit', () => { spawnSync('/bin/sh', ['-c', ${JSON.stringify(script)}]); });`,
			python: `import atexit, subprocess\natexit.register(lambda: subprocess.run(['/bin/sh', '-c', ${JSON.stringify(script)}]))`,
			shell: `trap '${script}' EXIT`,
		}[language],
	);
}
