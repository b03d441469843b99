import { asText, display, isAscii, type PathBytes } from './git/path-bytes.ts';

export interface NamedEntry {
	readonly path: PathBytes;
	readonly mode: string;
}

export interface PathProblem {
	readonly path: string;
	readonly reason: string;
}

export const twinReason = 'differs only in case or form from';

/**
 * Names that are the same files on every system, or a reason why not. A candidate with a problem is rejected as a
 * whole: a name that one reader sees and another does not is how a file escapes a check.
 */
export function pathProblems(entries: readonly NamedEntry[]): PathProblem[] {
	const problems: PathProblem[] = [];
	const folded = new Map<string, string>();
	const seen = new Set<string>();
	for (const entry of entries) {
		const reason = isPlainName(entry) ? null : nameProblem(entry);
		if (reason !== null) problems.push({ path: display(entry.path), reason });
		for (const spelling of newPrefixes(display(entry.path), seen)) {
			const key = fold(spelling);
			const twin = folded.get(key);
			if (twin === undefined) folded.set(key, spelling);
			else if (twin !== spelling) problems.push({ path: spelling, reason: `${twinReason} ${twin}` });
		}
	}
	return problems;
}

/** Most names are plainly fine; only the others are looked at one rule at a time. */
function isPlainName({ path, mode }: NamedEntry): boolean {
	const isRegular = mode === '100644' || mode === '100755';
	return isRegular && /^[\u0020-\u007e]{1,255}$/.test(path) && !/(^|\/)\.{0,2}(\/|$)|\.git|git~/i.test(path);
}

function nameProblem({ path, mode }: NamedEntry): string | null {
	const text = asText(path);
	if (text === null) return 'the name is not UTF-8';
	if (mode === '160000') return 'a repository inside the repository (gitlink)';
	if (!['100644', '100755', '120000'].includes(mode)) return `mode ${mode}`;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
	if (/[\u0000-\u001f\u007f]/.test(text)) return 'a control character in the name';
	if (path.length > 4095) return 'the path is longer than 4095 bytes';
	for (const part of path.split('/')) {
		if (part === '' || part === '.' || part === '..') return 'an empty, . or .. component';
		if (part.length > 255) return 'a component is longer than 255 bytes';
	}
	if (text.split('/').some(looksLikeGit)) return 'a component that some system reads as .git';
	if (mode === '120000' && /(^|\/)\.gitmodules$/i.test(text)) return '.gitmodules is a link';
	return null;
}

/** Names that NTFS or HFS+ take for `.git`: case, trailing dots and spaces, streams, short names, ignorable letters. */
function looksLikeGit(part: string): boolean {
	const plain = part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase();
	return /^(\.git|git~[0-9]+)([. ]*|:.*)$/.test(plain);
}

/** The path and its folders, outermost first: two folders that differ only in case clash as well as two files do. */
function newPrefixes(path: string, seen: Set<string>): string[] {
	const found: string[] = [];
	for (let prefix = path; !seen.has(prefix); prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
		seen.add(prefix);
		found.unshift(prefix);
		if (!prefix.includes('/')) break;
	}
	return found;
}

function fold(spelling: string): string {
	return isAscii(spelling) ? spelling.toLowerCase() : spelling.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Why a link may not be written below a folder, or null: only relative targets that stay inside are. */
export function linkProblem(path: string, target: string): string | null {
	if (target === '' || target.startsWith('/') || target.includes('\0')) return `a link to ${target || 'nothing'}`;
	const parts = path.split('/').slice(0, -1);
	for (const part of target.split('/')) {
		if (part === '..') {
			if (parts.pop() === undefined) return `a link that leaves the tree: ${target}`;
		} else if (part !== '.' && part !== '') parts.push(part);
	}
	if (parts.some((part) => part.toLowerCase() === '.git')) return `a link into .git: ${target}`;
	return null;
}
