/** What a file is by its name alone: the vocabulary in which CONTRACTS 2 decides about new files of a suite folder. */
export type NewFileKind =
	/** Compiled Python in `__pycache__`. Takes over the mode of its source, so any mode is honest. */
	| 'bytecode'
	/** A tool's cache, in its own folder. */
	| 'cache'
	| 'log'
	/** A file of a coverage or test report tree, or a result by name, whatever its suffix. */
	| 'report'
	/** Source or configuration by the published suffixes. */
	| 'source'
	/** Whatever else an interpreter, a loader, a test runner or a build tool picks up by name. */
	| 'loadable'
	/** Without a suffix: a script when its bytes say so. */
	| 'suffixless'
	| 'data';

/** The list that the published rule rejects (document 000 and its reference implementation). */
const publishedSuffixes = words(
	'c cc cfg cpp go java js jsx ipynb ini pl ps1 py r rb rs sh bash sql toml ts tsx yaml yml zsh',
);

/** Suffixes that the published list leaves out and that run, load or configure all the same. */
const loadableSuffixes = words(`
	mjs cjs mts cts wasm wat node so dylib dll pyd pyc pyo pyw pyx pxd pyz pth egg whl jar war ear class
	php phtml phar lua kt kts ktm scala sc groovy gradle swift m mm h hh hpp hxx cxx inc s asm cu cuh
	f f90 f95 hs lhs ml mli ex exs erl hrl beam clj cljs cljc edn lisp el scm rkt jl nim zig dart cs csx fs fsx vb
	coffee vue svelte astro fish ksh csh tcsh bat cmd exe msi vbs wsf psm1 psd1 awk sed tcl
	mk cmake bzl bazel nix tf proto thrift jsonc json5 conf cnf properties props targets csproj sln env snap
	service desktop a o ko elf pm t raku rake gemspec podspec
`);

/** Names that a loader, a package manager, a test runner or a build tool looks for. */
const loadableNames = new RegExp(
	`^(?:${[
		// package and loader manifests, lock files, workspace files
		'package(?:-lock)?\\.json|npm-shrinkwrap\\.json|yarn\\.lock|bun\\.lockb?|composer\\.(?:json|lock)|deno\\.(?:json|lock)',
		'[jt]sconfig(?:\\..+)?\\.json|nx\\.json|turbo\\.json|lerna\\.json|rush\\.json|vercel\\.json|nodemon\\.json',
		'.+\\.config\\.json|babel\\.config\\..+|import[-_]map\\.json|angular\\.json',
		'requirements.*\\.(?:txt|in)|constraints.*\\.txt|pipfile(?:\\.lock)?|(?:poetry|uv|pdm|cargo|gemfile|mix|flake)\\.lock',
		'go\\.(?:mod|sum|work)|manifest\\.(?:in|mf)|entry_points\\.txt|top_level\\.txt|cmakelists\\.txt|pom\\.xml|build\\.xml|ivy\\.xml',
		// tools without a suffix
		'(?:gnu|bsd)?makefile(?:\\..+)?|dockerfile(?:\\..+)?|containerfile|rakefile|gemfile|justfile|procfile|vagrantfile|jenkinsfile',
		'brewfile|podfile|build|workspace|module|sconstruct|sconscript|wscript|taskfile|earthfile|guardfile',
		// settings of runners, shells and version managers
		'\\.env(?:\\..+)?|\\.envrc|\\.[\\w-]+rc(?:\\.\\w+)?|\\.(?:python|node|ruby|java|go|terraform)-version|\\.tool-versions',
		'\\.pnpmfile\\.\\w+|\\.(?:bash_|z|bash)?(?:profile|login|logout)|\\.zshenv|\\.flake8|\\.pylintrc|\\.pypirc|\\.netrc|\\.jvmopts',
		'\\.gitmodules|\\.lfsconfig|\\.mailcap|rust-toolchain|kapso[._-]?evaluation\\..+',
	].join('|')})$`,
	'i',
);

/** Folders that tools fill with what they can make again. Their owners, not suites, read them. */
const cacheFolders = new Set(
	words(`.pytest_cache .mypy_cache .ruff_cache .hypothesis .nyc_output .cache .jest-cache .vitest .vite .parcel-cache
	.turbo .eslintcache .stylelintcache .benchmarks .tox_cache .coverage-cache`),
);
const bytecodeFolder = '__pycache__';
const bytecode = /\.py[co](?:\.\d+)?$/i;

/** Folders of coverage and test reports, and the formats such trees are made of. */
const reportFolders = new Set(
	words(`coverage htmlcov lcov-report lcov reports report results result test-results test-reports junit allure-results
	allure-report playwright-report mochawesome-report surefire-reports jacoco cov_html html-report`),
);
const reportSuffixes = words(`
	js html htm css json jsonl xml yaml yml toml svg png gif jpg webp ico txt md csv tsv info lcov map woff woff2 ttf eot gz zip
	dat out sarif tap pdf
`);
const reportName =
	/^(?:.*[-_.])?(?:results?|reports?|junit|coverage|lcov|predictions?|outputs?|metrics|scores?|summary|timings?|benchmarks?)(?:[-_.][\w-]*)?\.(?:json|jsonl|xml|ya?ml|toml|csv|tsv|txt|html?|md|info|svg|png)$/i;

const logName = /\.(?:log|stdout|stderr)(?:[.-]\d+)*(?:\.(?:gz|zst|bz2|xz))?$/i;
const logFolders = new Set(['log', 'logs']);
const logSuffixes = new Set(['', 'txt', 'out', 'err', 'json', 'jsonl', 'csv']);

/** Classifies a path inside the suite folder. Case never helps: `.PY` is source too. */
export function newFileKind(path: string): NewFileKind {
	const names = path.split('/').map((name) => name.toLowerCase());
	const name = names.at(-1)!;
	const folders = names.slice(0, -1);
	const suffix = suffixOf(name);

	if (bytecode.test(name) && folders.at(-1) === bytecodeFolder) return 'bytecode';
	if (isInstalledModule(folders)) return 'loadable';
	if (loadableNames.test(name) && !isCoverageData(name)) return 'loadable';
	const isSource = publishedSuffixes.has(suffix);
	const isLoadable = loadableSuffixes.has(suffix);
	if (!isSource && !isLoadable) {
		if (isCoverageData(name) || folders.some((folder) => cacheFolders.has(folder)) || cacheFolders.has(name))
			return 'cache';
		if (logName.test(name)) return 'log';
		if (folders.some((folder) => logFolders.has(folder)) && logSuffixes.has(suffix)) return 'log';
	}
	if (isReport(folders, name, suffix)) return 'report';
	if (isSource) return 'source';
	if (isLoadable || /\.so\.\d[\d.]*$/.test(name)) return 'loadable';
	return suffix === '' && !name.startsWith('.') ? 'suffixless' : 'data';
}

function isReport(folders: readonly string[], name: string, suffix: string): boolean {
	if (!loadableSuffixes.has(suffix) && folders.some((folder) => reportFolders.has(folder))) {
		return reportSuffixes.has(suffix);
	}
	return reportName.test(name);
}

/** Whatever lies in `node_modules` or `site-packages` is found by the name of a package. A tool's cache there is not. */
function isInstalledModule(folders: readonly string[]): boolean {
	const at = folders.findIndex((folder) => folder === 'node_modules' || folder === 'site-packages');
	return at >= 0 && folders[at + 1] !== '.cache' && folders[at + 1] !== '.vite' && folders[at + 1] !== '.vitest';
}

/** `.coverage` and `.coverage.host.123.456`: data of a coverage tool, unlike `.coveragerc`. */
function isCoverageData(name: string): boolean {
	return name === '.coverage' || name.startsWith('.coverage.');
}

/** After the last dot, which is not the first letter; lower case. */
function suffixOf(name: string): string {
	const dot = name.lastIndexOf('.');
	return dot > 0 ? name.slice(dot + 1) : '';
}

function words(text: string): ReadonlySet<string> {
	return new Set(text.trim().split(/\s+/));
}
