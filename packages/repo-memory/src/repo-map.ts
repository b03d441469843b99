import { z } from 'zod';

/** The repository's outline as far as paths alone tell it. `files` may be shorter than `file_count`. */
export const repoMapSchema = z.looseObject({
	/** Always `.`: the file travels with the branch, a machine's path does not. */
	repo_root: z.literal('.'),
	file_count: z.int().min(0),
	files: z.array(z.string()),
	/** Files by lower-case extension with its dot, most frequent first. */
	languages_by_extension: z.record(z.string(), z.int().positive()),
	key_files: z.array(z.string()),
	entrypoints: z.array(z.string()),
});
export type RepoMap = z.output<typeof repoMapSchema>;

const maxFiles = 5000;
const maxListedFiles = 2000;
const maxEntrypoints = 50;
const maxDepth = 12;

/** Top-level names that belong to tools, not to the program. */
const ignored: ReadonlySet<string> = new Set([
	...['.git', '.hg', '.svn', '.kapso', 'sessions', 'changes.log'],
	...['node_modules', 'dist', 'build', '.venv', 'venv', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache'],
]);
/** In this order: what a reader would open first. */
const keyFiles = [
	...['README.md', 'README.rst', 'README.txt', 'package.json', 'pyproject.toml', 'requirements.txt', 'setup.py'],
	...['Cargo.toml', 'go.mod', 'Dockerfile', 'Makefile'],
];
const entrypointName = /^(?:main|app|server|cli)\.(?:py|js|mjs|ts|mts|c|cc|cpp|go|rs)$/;

/**
 * The map of these paths (relative, `/`-separated, as `git ls-files` lists them). Pure: the same set of paths in any
 * order gives the same map.
 */
export function buildRepoMap(paths: Iterable<string>): RepoMap {
	const files = [...new Set(paths)].filter(isMapped).sort(byCodeUnit).slice(0, maxFiles);
	const known = new Set(files);
	return {
		repo_root: '.',
		file_count: files.length,
		files: files.slice(0, maxListedFiles),
		languages_by_extension: countExtensions(files),
		key_files: keyFiles.filter((file) => known.has(file)),
		entrypoints: files.filter((file) => entrypointName.test(baseName(file))).slice(0, maxEntrypoints),
	};
}

function isMapped(path: string): boolean {
	const parts = path.split('/');
	return path !== '' && parts.length <= maxDepth + 1 && !ignored.has(parts[0]!);
}

function countExtensions(files: readonly string[]): Record<string, number> {
	const counts = new Map<string, number>();
	for (const file of files) {
		const name = baseName(file);
		const dot = name.lastIndexOf('.');
		if (dot <= 0) continue; // `.gitignore` is a name, not an extension
		const extension = name.slice(dot).toLowerCase();
		counts.set(extension, (counts.get(extension) ?? 0) + 1);
	}
	return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || byCodeUnit(a, b)));
}

function baseName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1);
}

function byCodeUnit(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
