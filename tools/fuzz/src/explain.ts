import { createHash } from 'node:crypto';
import type { Damage } from './damage.ts';
import type { Content, Path } from './files.ts';
import { show } from './files.ts';
import type { RepositoryState } from './repository-state.ts';

/** Codes of errors that name what stands in the way; anything else that is thrown is unexplained. */
const named = new Set([
	'CHECKOUT_REFUSED',
	'SWITCH_INTENT_CORRUPT',
	'UNKNOWN_REF',
	'CANDIDATE_REJECTED',
	'REF_EXISTS',
	'TREE_PATH_POLICY',
	'NOT_A_CAMPAIGN',
	'CAMPAIGN_EXISTS',
	'CAMPAIGN_MISSING',
	'CLONE_FOLDER_IN_USE',
	'FOLDER_NOT_EMPTY',
	'SEED_CONTAINS_OUTPUT',
	'SEED_TOO_BROAD',
	'SEED_SUBMODULES',
	'SEED_LFS',
	'SEED_SECRETS',
	'SEED_LINK',
	'SEED_PATHS',
	'SEED_MISSING',
	'SEED_CLONE_FAILED',
]);

export function isNamed(error: unknown): error is Error & { code: string; data: Record<string, unknown> } {
	return error instanceof Error && 'code' in error && named.has(String(error.code));
}

export function unexplainedError(error: unknown): Damage {
	return { kind: 'unexplained', what: error instanceof Error ? `${error.stack}` : String(error) };
}

/** After a refusal, or whatever must not touch the user's repository at all. */
export function mustBeSame(before: RepositoryState, after: RepositoryState, doing: string): Damage[] {
	return [
		...differences(before.files, after.files, `${doing}: file`, 'bytes'),
		...differences(before.index, after.index, `${doing}: index`, 'bytes'),
		...differences(before.private, after.private, `${doing}: .git/`, 'bytes'),
		...refsAreKept(before, after, doing),
		...(before.head === after.head
			? []
			: [{ kind: 'refs' as const, what: `${doing}: HEAD ${before.head} -> ${after.head}` }]),
	];
}

export function refsAreKept(before: RepositoryState, after: RepositoryState, doing: string): Damage[] {
	return [...before.refs]
		.filter(([name, value]) => after.refs.get(name) !== value)
		.map(([name, value]) => ({
			kind: 'refs',
			what: `${doing}: ${name} ${value} -> ${after.refs.get(name) ?? 'gone'}`,
		}));
}

export function differences(
	before: ReadonlyMap<string, string>,
	after: ReadonlyMap<string, string>,
	what: string,
	lost: Damage['kind'],
): Damage[] {
	const damage: Damage[] = [];
	for (const [key, value] of before) {
		const now = after.get(key);
		if (now !== value) damage.push({ kind: lost, what: `${what} ${show(key)}: ${brief(value)} -> ${brief(now)}` });
	}
	for (const key of after.keys()) {
		if (!before.has(key))
			damage.push({ kind: 'unexplained', what: `${what} ${show(key)} is new: ${brief(after.get(key))}` });
	}
	return damage;
}

export function brief(value: string | undefined): string {
	return value === undefined ? 'gone' : show(value.slice(0, 60));
}

/**
 * After a switch that succeeded: what was the user's is as it was, what was Git's is the target's, and nothing else is
 * there. A file is Git's when its bytes and mode are those that HEAD had at its path.
 */
export function mustBeSwitched(o: {
	readonly before: RepositoryState;
	readonly after: RepositoryState;
	/** Null: HEAD had no commit; then Git compares with what is staged. */
	readonly from: ReadonlyMap<Path, Content> | null;
	readonly to: ReadonlyMap<Path, Content>;
	readonly doing: string;
}): Damage[] {
	const { before, after, to, doing } = o;
	const from = o.from ?? stagedAlready(before, to);
	const expected = new Map<Path, Content>();
	const deleted = (path: Path) => from.has(path) && before.files.get(path) !== from.get(path);
	for (const [path, content] of to) if (from.get(path) !== content || !deleted(path)) expected.set(path, content);
	// An empty folder into which the target puts something is not lost.
	const isFilled = (path: Path) => [...expected.keys()].some((other) => other.startsWith(`${path}/`));
	for (const [path, content] of before.files) {
		if (from.get(path) !== content && !(content === 'folder' && isFilled(path))) expected.set(path, content);
	}
	const damage = differences(expected, after.files, `${doing}: file`, 'bytes');
	// The user's deletion of a path that the switch changes must have been refused.
	for (const path of from.keys()) {
		if (!before.files.has(path) && from.get(path) !== to.get(path)) {
			damage.push({ kind: 'bytes', what: `${doing}: the deletion of ${show(path)} was forgotten` });
		}
	}
	for (const inside of nestedRepositories(before)) {
		const written = [...to].filter(([path, content]) => path.startsWith(`${inside}/`) && from.get(path) !== content);
		for (const [path] of written)
			damage.push({ kind: 'bytes', what: `${doing}: ${show(path)} was written into a repository` });
	}
	// Staged work, and what was said about unchanged paths (assume-unchanged), stays.
	for (const [key, entry] of before.index) {
		const [path = '', stage] = key.split('\0');
		const isGits = stage === '0' && from.has(path) && entry.slice(2) === entryOf(from.get(path)!);
		if (isGits && from.get(path) !== to.get(path)) continue;
		if (after.index.get(key) === entry) continue;
		const now = after.index.get(key) ?? 'gone';
		damage.push({ kind: 'bytes', what: `${doing}: index ${show(key)}: ${entry} -> ${now}` });
	}
	damage.push(
		...differences(before.private, after.private, `${doing}: .git/`, 'bytes'),
		...refsAreKept(before, after, doing),
	);
	return damage;
}

/** Mode and blob id, as an index has them. */
function entryOf(content: Content): string {
	const bytes = Buffer.from(content.slice(7), 'latin1');
	return `${content.slice(0, 6)} ${createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')}`;
}

function stagedAlready(before: RepositoryState, to: ReadonlyMap<Path, Content>): Map<Path, Content> {
	return new Map([...to].filter(([path, content]) => before.index.get(`${path}\x000`)?.slice(2) === entryOf(content)));
}

function nestedRepositories({ files }: RepositoryState): Set<Path> {
	return new Set([...files.keys()].flatMap((path) => path.match(/^(.*?)\/\.git\//)?.[1] ?? []));
}
