import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './program.ts';

/** Written in two halves: this file is tracked, too. */
const forbidden: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
	{
		pattern: new RegExp(['registry', '\\.(?:npmjs|yarnpkg|npmmirror)'].join(''), 'i'),
		reason: 'names a registry host: the machine decides where packages come from',
	},
	{ pattern: new RegExp(['^<{7}', ' |^>{7} '].join(''), 'm'), reason: 'has a conflict marker' },
];

/** Tracked text files that say what no tracked file may say; the lock file is written by its tool. */
export async function findTextProblems(root: string): Promise<readonly string[]> {
	const { output } = await runProgram({ argv: ['git', 'ls-files', '-z'], cwd: root });
	const problems: string[] = [];
	for (const path of output.split('\0')) {
		if (path === '' || path === 'pnpm-lock.yaml') continue;
		const bytes = await readFile(join(root, path)).catch(() => null);
		if (bytes === null || bytes.includes(0)) continue;
		const lines = bytes.toString('utf8').split('\n');
		for (const { pattern, reason } of forbidden) {
			const line = lines.findIndex((text) => pattern.test(text));
			if (line >= 0) problems.push(`${path}:${line + 1}: ${reason}`);
		}
	}
	return problems;
}
