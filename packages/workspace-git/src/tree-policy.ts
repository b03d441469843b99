import { asText, display, type PathBytes } from './git/path-bytes.ts';

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
	for (const entry of entries) {
		const reason = nameProblem(entry);
		if (reason !== null) problems.push({ path: display(entry.path), reason });
		for (const [key, spelling] of foldedPrefixes(display(entry.path))) {
			const twin = folded.get(key);
			if (twin === undefined) folded.set(key, spelling);
			else if (twin !== spelling) problems.push({ path: spelling, reason: `${twinReason} ${twin}` });
		}
	}
	return problems;
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

/** Every prefix of the path, folded: two folders that differ only in case clash as well as two files do. */
function* foldedPrefixes(path: string): Generator<[string, string]> {
	let end = path.indexOf('/');
	for (;;) {
		const spelling = end === -1 ? path : path.slice(0, end);
		yield [spelling.normalize('NFC').toLowerCase().normalize('NFC'), spelling];
		if (end === -1) return;
		end = path.indexOf('/', end + 1);
	}
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
