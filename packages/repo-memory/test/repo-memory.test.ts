import { describe, expect, it } from 'vitest';
import { buildRepoMap, parseRepoMemory, parseRepoMemorySettings, renderSummary } from '../src/index.ts';

const document = {
	schema_version: 2,
	generated_at: '2030-01-01T00:00:00Z',
	baseline: { initial_repo: null },
	repo_map: buildRepoMap(['README.md', 'src/main.py']),
	repo_model: { summary: '', entrypoints: [], where_to_edit: [], claims: [] },
	book: {
		summary: 'A solver for routes. 🚚',
		toc: [{ id: 'core.testing', title: 'Testing', one_liner: 'how it is tested' }],
		sections: {
			'opt.cache': { title: 'Cache', one_liner: '', content: ['free text'] },
			'core.testing': {
				title: 'Testing',
				one_liner: '',
				claims: [
					{
						kind: 'testing',
						statement: 'run npm test',
						confidence: 0.9,
						evidence: [{ path: 'package.json', line: 3, description: 'script' }],
					},
				],
			},
			'core.architecture': { title: 'Architecture', one_liner: 'one module' },
		},
	},
	experiments: [{ branch: 'generic_exp_0', run_result: { score: 1 } }],
	quality: { evidence_ok: true },
};

describe('parseRepoMemory', () => {
	it('reads version 2 and keeps what it does not know inside the fixed outer keys', () => {
		const memory = parseRepoMemory(JSON.stringify(document));
		expect(memory.book.sections['core.testing']?.claims?.[0]?.statement).toBe('run npm test');
		expect(memory.experiments[0]).toEqual({ branch: 'generic_exp_0', run_result: { score: 1 } });
		expect(parseRepoMemory(JSON.stringify(memory))).toEqual(memory);
	});

	it.each([
		['{"schema_version": 2,', 'REPO_MEMORY_JSON'],
		['', 'REPO_MEMORY_JSON'],
		['[]', 'REPO_MEMORY_SHAPE'],
		['{}', 'REPO_MEMORY_SHAPE'],
		[JSON.stringify({ ...document, schema_version: 1 }), 'REPO_MEMORY_VERSION'],
		[JSON.stringify({ ...document, schema_version: '2' }), 'REPO_MEMORY_VERSION'],
		[JSON.stringify({ ...document, surprise: true }), 'REPO_MEMORY_SHAPE'],
		[JSON.stringify({ ...document, book: { ...document.book, summary: 3 } }), 'REPO_MEMORY_SHAPE'],
		[JSON.stringify({ ...document, book: { ...document.book, sections: [] } }), 'REPO_MEMORY_SHAPE'],
		[JSON.stringify({ ...document, repo_map: { ...document.repo_map, repo_root: '/tmp/x' } }), 'REPO_MEMORY_SHAPE'],
	])('refuses %.40s with %s', (text, code) => {
		expect(() => parseRepoMemory(text)).toThrow(expect.objectContaining({ code, category: 'verdict' }));
	});
});

describe('renderSummary', () => {
	const memory = parseRepoMemory(JSON.stringify(document));

	it('shows summary, table of contents and the ids of all sections, core sections first [A23]', () => {
		expect(renderSummary(memory, { maxChars: 2500 })).toBe(
			[
				'## Summary',
				'A solver for routes. 🚚',
				'',
				'## Table of contents',
				'- [core.architecture] Architecture: one module',
				'- [core.testing] Testing: how it is tested',
				'- [opt.cache] Cache',
			].join('\n'),
		);
	});

	it('keeps to every limit and never halves a character [A23]', () => {
		for (let maxChars = 0; maxChars <= 180; maxChars++) {
			const text = renderSummary(memory, { maxChars });
			expect(text.length).toBeLessThanOrEqual(maxChars);
			expect(text.isWellFormed()).toBe(true);
		}
	});
});

describe('buildRepoMap', () => {
	it('keeps dotfile names intact and leaves out what belongs to tools [A21]', () => {
		const map = buildRepoMap([
			...['src/main.py', '.gitignore', '.github/workflows/ci.yml', 'README.md', 'src/helper.py', 'Makefile'],
			...['.kapso/repo_memory.json', 'sessions/a/b.py', 'changes.log', 'node_modules/x/index.js', '.git/config'],
			...['docs/changes.log', 'src/build/keep.PY'],
		]);
		expect(map).toEqual({
			repo_root: '.',
			file_count: 8,
			files: [
				...['.github/workflows/ci.yml', '.gitignore', 'Makefile', 'README.md'],
				...['docs/changes.log', 'src/build/keep.PY', 'src/helper.py', 'src/main.py'],
			],
			languages_by_extension: { '.py': 3, '.log': 1, '.md': 1, '.yml': 1 },
			key_files: ['README.md', 'Makefile'],
			entrypoints: ['src/main.py'],
		});
		expect(Object.keys(map.languages_by_extension)).toEqual(['.py', '.log', '.md', '.yml']);
	});

	it('gives the same map for the same paths in any order, twice or once', () => {
		const paths = ['b.ts', 'a.ts', 'c/é.ts', 'B.ts'];
		expect(buildRepoMap([...paths].reverse())).toEqual(buildRepoMap([...paths, ...paths]));
	});

	it('stays bounded for a large or deep repository', () => {
		const map = buildRepoMap(Array.from({ length: 9000 }, (_, index) => `f/${index}/main.py`));
		expect([map.file_count, map.files.length, map.entrypoints.length]).toEqual([5000, 2000, 50]);
		expect(buildRepoMap([`${'a/'.repeat(13)}x.py`]).file_count).toBe(0);
	});
});

describe('parseRepoMemorySettings', () => {
	it('warns and repairs twice when nothing is said, and leaves other keys to their owners [M203, M207]', () => {
		expect(parseRepoMemorySettings({ parent_policy: 'best' })).toEqual({ failurePolicy: 'warn', maxRetries: 2 });
		expect(parseRepoMemorySettings(undefined)).toEqual({ failurePolicy: 'warn', maxRetries: 2 });
		expect(parseRepoMemorySettings({ repo_memory_failure_policy: 'fail', repo_memory_max_retries: 0 })).toEqual({
			failurePolicy: 'fail',
			maxRetries: 0,
		});
	});

	it.each([
		{ repo_memory_failure_policy: 'ignore' },
		{ repo_memory_max_retries: -1 },
		{ repo_memory_max_retries: true },
		{ repo_memory_max_retries: 1.5 },
	])('refuses %j [A20]', (params) => {
		expect(() => parseRepoMemorySettings(params)).toThrow(
			expect.objectContaining({ code: 'REPO_MEMORY_SETTINGS', category: 'usage' }),
		);
	});
});
