import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasSandbox, openDesk, path, scoreFiles, skipReason } from './fixtures.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/suites.md'), 'utf8');

/** A section of the page: the files of a suite and of the candidate shown with it. */
const sections = page
	.split(/^## /m)
	.slice(1)
	.map((text) => {
		const [, title = '', level = ''] = /^(.+?) \((.+)\)$/m.exec(text) ?? [];
		const files = [...text.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(
			([, name = '', body = '']) => [name, body] as const,
		);
		const isCandidate = (name: string): boolean => name.startsWith('candidate/');
		return {
			title,
			level,
			suite: Object.fromEntries(files.filter(([name]) => !isCandidate(name))),
			candidate: Object.fromEntries(
				files.filter(([name]) => isCandidate(name)).map(([name, body]) => [name.slice('candidate/'.length), body]),
			),
		};
	});
const hasPytest = spawnSync('python3', ['-I', '-c', 'import pytest'], { env: { PATH: path } }).status === 0;

it('the page of suites has the usual shapes', () => {
	expect(sections.map(({ title }) => title)).toHaveLength(5);
});

for (const { title, level, suite: files, candidate } of sections) {
	const needsPytest = title === 'pytest';
	const reason = needsPytest && !hasPytest ? ' (skipped: no pytest on this machine)' : skipReason;
	it.skipIf(!hasSandbox || (needsPytest && !hasPytest))(
		`${title}: a good program gets 1 at the level that the page names, a worse one less, one that leaves nothing no score${reason} [T018, T019, T021]`,
		async () => {
			await using desk = await openDesk();
			const suite = await desk.suite(files);
			const worse = Object.fromEntries(
				Object.entries(candidate).map(([name, body]) => [
					name,
					body.replace('n * n', 'n + 1').replace('** 2', '* 2').replace('42', '41'),
				]),
			);
			const broken = Object.fromEntries(Object.keys(candidate).map((name) => [name, 'exit 3 }\n']));

			expect(await scoreFiles(desk, { suite, candidate })).toMatchObject({ error: null, score: 1, level });
			expect((await scoreFiles(desk, { suite, candidate: worse })).score).toBeLessThan(1);
			const nothing = await scoreFiles(desk, { suite, candidate: broken });
			expect(nothing.score ?? 0).toBe(0);
		},
	);
}
