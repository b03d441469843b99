import {
	type CandidateTree,
	dataFolder,
	type EvaluationLevel,
	KapsoError,
	sha256,
	suiteFolder,
	type TreeEntry,
} from '@kapso-evolve/contracts';
import type { HashedEntry } from '@kapso-evolve/durable-fs';
import { type Defences, everyDefence } from './defences.ts';
import { compileGlobs } from './glob.ts';
import { nameKey, SpellingBook } from './name-key.ts';
import { newFileKind } from './new-file-kind.ts';
import { type NotProven, notProvenAt } from './not-proven.ts';
import type { DataSnapshot, Suite } from './suite.ts';
import { type Finding, maxListed, rejection, type Verdict } from './verdict.ts';

export interface VerifyCandidateOptions {
	readonly tree: CandidateTree;
	readonly suite: Suite;
	/** Null: `kapso_datasets` is nobody's, and what a candidate puts there is not run. */
	readonly data: DataSnapshot | null;
	readonly level: EvaluationLevel;
	/**
	 * The tree of `main`: what `protected_paths` outside the suite and data folders are compared with. Needed when the
	 * suite declares such paths (`BASELINE_NEEDED` otherwise).
	 */
	readonly baseline?: CandidateTree | null;
}

/**
 * Judges a candidate's tree against the caller's bytes (document 000, CONTRACTS 2): a protected file that is missing or
 * differs in path, mode, type or bytes rejects; new files are rejected, stripped or allowed by the table. Reads only
 * protected prefixes. What the tree cannot give (`read` throws) is thrown on.
 */
export function verifyCandidate(options: VerifyCandidateOptions): Promise<Verdict> {
	return judgeCandidate(options, everyDefence);
}

export async function judgeCandidate(options: VerifyCandidateOptions, holds: Defences): Promise<Verdict> {
	const { suite, data, level } = options;
	const entries = await options.tree.entries();
	const findings: Finding[] = [];
	const stripped: string[] = [];
	const notProven = new Set<NotProven>(notProvenAt(level, suite));
	const judge = { ...options, entries, findings, stripped, notProven, holds };

	if (suite.visibility === 'private') strip(judge, suiteFolder);
	else await judgeFolder(judge, suiteFolder, suite.entries);
	if (data === null || !holds('data-folder')) strip(judge, dataFolder);
	else await judgeFolder(judge, dataFolder, data.entries);
	if (holds('protected-paths')) await judgeProtectedPaths(judge);

	if (findings.length > 0) return rejection(findings);
	return { valid: true, stripped: listed(stripped), notProven: [...notProven] };
}

interface Judge extends VerifyCandidateOptions {
	readonly entries: readonly TreeEntry[];
	readonly findings: Finding[];
	readonly stripped: string[];
	readonly notProven: Set<NotProven>;
	readonly holds: Defences;
}

/** A folder whose content belongs to nobody here: never used, so never judged. */
function strip(judge: Judge, folder: string): void {
	for (const { path } of judge.entries) {
		if (path === folder || path.startsWith(`${folder}/`)) judge.stripped.push(path);
	}
}

async function judgeFolder(judge: Judge, folder: string, provided: readonly HashedEntry[]): Promise<void> {
	const key = nameKey(folder);
	const below = new Map<string, TreeEntry>();
	for (const entry of judge.entries) {
		const top = entry.path.split('/', 1)[0]!;
		if (top === folder && entry.path !== folder) below.set(entry.path.slice(folder.length + 1), entry);
		else if (entry.path === folder) judge.findings.push({ code: codeOfKind(entry), path: entry.path });
		else if (nameKey(top) === key) judge.findings.push({ code: 'INTEGRITY_COLLISION', path: entry.path });
	}
	const found = await inBatches(provided, async (expected): Promise<Finding | null> => {
		const path = `${folder}/${expected.path}`;
		const entry = below.get(expected.path);
		if (!entry) return judge.holds('provided-presence') ? { code: 'INTEGRITY_MISSING', path } : null;
		return (await isUnchanged(judge, entry, expected)) ? null : { code: 'INTEGRITY_CHANGED', path };
	});
	judge.findings.push(...found.filter((finding) => finding !== null));
	for (const { path } of provided) below.delete(path);
	const spellings = new SpellingBook(provided.map((entry) => entry.path));
	const artifacts = compileGlobs(folder === suiteFolder ? (judge.suite.evaluation?.artifacts ?? []) : []);
	for (const [path, entry] of below) {
		const code =
			judge.holds('spellings') && spellings.collides(path)
				? 'INTEGRITY_COLLISION'
				: await faultOfNewFile(judge, { path, entry, isArtifact: artifacts(path) });
		if (code !== null) judge.findings.push({ code, path: entry.path });
		else judge.stripped.push(entry.path);
	}
}

/** Enough reads under way to keep a reader busy, few enough to keep memory small. */
async function inBatches<Item, Result>(
	items: readonly Item[],
	work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	for (let at = 0; at < items.length; at += 32) {
		results.push(...(await Promise.all(items.slice(at, at + 32).map(work))));
	}
	return results;
}

/** The table of CONTRACTS 2, row by row; null: stripped, or allowed by the published rule. */
async function faultOfNewFile(
	judge: Judge,
	file: { readonly path: string; readonly entry: TreeEntry; readonly isArtifact: boolean },
): Promise<Finding['code'] | null> {
	const { path, entry } = file;
	if (entry.type !== 'file') return judge.holds('links') ? 'INTEGRITY_LINK' : null;
	if (!judge.holds('new-files')) return null;
	if (/^kapso[._-]?evaluation\./i.test(path)) return 'INTEGRITY_SOURCE';
	if (file.isArtifact) return null;
	const kind = newFileKind(path);
	const published = judge.level === 'published-rule';
	if (kind === 'bytecode') {
		if (published) judge.notProven.add('bytecode');
		return null;
	}
	if (kind === 'log') return null;
	if (kind === 'source' || kind === 'loadable' || entry.mode === '100755') return 'INTEGRITY_SOURCE';
	if (kind === 'suffixless' && startsLikeScript(await judge.tree.read(entry.path))) return 'INTEGRITY_SOURCE';
	if (kind === 'report' && published) judge.notProven.add('report-tree');
	return null;
}

/** `#!`, or the magic numbers of ELF, Mach-O and PE files. */
function startsLikeScript(bytes: Uint8Array): boolean {
	const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
	return /^(?:2321|7f454c46|feedfac[ef]|c[ef]faedfe|cafebabe|4d5a|efbbbf23)/.test(start);
}

async function isUnchanged(judge: Judge, entry: TreeEntry, expected: HashedEntry): Promise<boolean> {
	if (entry.type !== 'file') return !judge.holds('links');
	if (entry.mode !== expected.mode && judge.holds('provided-modes')) return false;
	if (!judge.holds('provided-bytes')) return true;
	return entry.size === expected.size && sha256(await judge.tree.read(entry.path)) === expected.sha256;
}

/** A gitlink or link, or a file, in place of the whole folder. */
function codeOfKind(entry: TreeEntry): Finding['code'] {
	return entry.type === 'file' ? 'INTEGRITY_SOURCE' : 'INTEGRITY_LINK';
}

/** Caller-declared paths outside the two folders: exactly what `main` has, nothing more and nothing less. */
async function judgeProtectedPaths(judge: Judge): Promise<void> {
	const patterns = judge.suite.evaluation?.protected_paths ?? [];
	if (patterns.length === 0) return;
	const isProtected = compileGlobs(patterns);
	const isJudgedAlready = (path: string): boolean =>
		path === suiteFolder ||
		path.startsWith(`${suiteFolder}/`) ||
		(judge.data !== null && (path === dataFolder || path.startsWith(`${dataFolder}/`)));
	const select = (entries: readonly TreeEntry[]): TreeEntry[] =>
		entries.filter(({ path }) => isProtected(path) && !isJudgedAlready(path));
	const baseline = judge.baseline;
	const now = new Map(select(judge.entries).map((entry) => [entry.path, entry]));
	if (!baseline) {
		if (patterns.every((pattern) => isWithin(pattern, judge.data))) return;
		throw new KapsoError({
			code: 'BASELINE_NEEDED',
			category: 'infrastructure',
			message: `the suite protects ${patterns.join(', ')}, and nothing was given to compare with`,
			hint: 'Give verifyCandidate the tree of the baseline commit.',
			data: { patterns },
		});
	}
	for (const entry of select(await baseline.entries())) {
		const { path } = entry;
		const found = now.get(path);
		now.delete(path);
		if (!found) judge.findings.push({ code: 'INTEGRITY_MISSING', path });
		else if (
			found.mode !== entry.mode ||
			found.size !== entry.size ||
			!(await hasEqualBytes(judge.tree, baseline, entry))
		) {
			judge.findings.push({ code: 'INTEGRITY_CHANGED', path });
		}
	}
	for (const path of now.keys()) judge.findings.push({ code: 'INTEGRITY_PROTECTED', path });
}

function isWithin(pattern: string, data: DataSnapshot | null): boolean {
	const plain = pattern.replace(/^\.\//, '');
	return (
		plain.startsWith(`${suiteFolder}/`) ||
		(data !== null && (plain === dataFolder || plain.startsWith(`${dataFolder}/`)))
	);
}

async function hasEqualBytes(tree: CandidateTree, baseline: CandidateTree, entry: TreeEntry): Promise<boolean> {
	if (entry.type === 'gitlink') return false;
	const [now, before] = await Promise.all([tree.read(entry.path), baseline.read(entry.path)]);
	return Buffer.compare(now, before) === 0;
}

function listed(paths: readonly string[]): readonly string[] {
	return paths.length <= maxListed ? paths : [...paths.slice(0, maxListed), `… and ${paths.length - maxListed} more`];
}
