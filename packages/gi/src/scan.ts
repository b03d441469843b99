import type { Language } from './language.ts';

/** A stretch of the text: `[start, end)` in UTF-16 units. */
export interface Span {
	readonly start: number;
	readonly end: number;
}

export interface Scan {
	/** `body` is what stands between the comment's delimiters, without decoration and outer white space. */
	readonly comments: readonly (Span & { readonly body: string })[];
	/** Decimal literals in code; a sign belongs to them where no value stands before it. */
	readonly numbers: readonly (Span & { readonly text: string })[];
}

const number = /(?:\d+(?:_\d+)*(?:\.\d+(?:_\d+)*|\.(?![.\w]))?|\.\d+)(?:[eE][+-]?\d+)?/y;
const word = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy;
const character = /'(?:\\[^\n]{1,10}?|[^\\'\n])'/uy;
const expression = /\/(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^\\/[\n])+\/[a-z]*/y;
/** The unit of a literal: `10n`, `0.5f`, `3px`, `7_u32`. */
const suffix = /_?[A-Za-z][A-Za-z0-9]*/y;
/** What continues a number into something that is not one: `1.2.3`, `1'000`, `0x1f`. */
const tail = /[\w.']*/y;
const valueComesNext = new Set(
	'return typeof case in of void delete throw do else yield await and or not then if elif while print'.split(' '),
);

/** Splits code from comments and strings well enough to find the numbers, without knowing any grammar. */
export function scan(text: string, language: Language): Scan {
	const comments: (Span & { body: string })[] = [];
	const numbers: (Span & { text: string })[] = [];
	/** The last word or character of code, white space and comments aside. */
	let previous = '';
	let at = 0;

	const comment = (opener: string, end: number, next: number): void => {
		comments.push({ start: at, end: next, body: bare(text.slice(at + opener.length, end)) });
		at = next;
	};
	const expectsValue = (): boolean =>
		previous === '' || valueComesNext.has(previous) || '=([{,:;?<>&|*/+-%^!~'.includes(previous);

	while (at < text.length) {
		const block = language.block.find(([open]) => text.startsWith(open, at));
		if (block) {
			const close = text.indexOf(block[1], at + block[0].length);
			if (close < 0) comment(block[0], text.length, text.length);
			else comment(block[0], close, close + block[1].length);
			continue;
		}
		const line = language.line.find((open) => text.startsWith(open, at));
		if (line && (!language.spaced || at === 0 || /\s/.test(text[at - 1]!))) {
			const end = endOfLine(text, at);
			comment(line, end, end);
			continue;
		}
		const string = language.strings.find(({ open }) => text.startsWith(open, at));
		if (string) {
			at = string.kind === 'char' ? match(character, text, at) || at + 1 : endOfString(text, at, string);
			previous = '"';
			continue;
		}
		if (language.expressions && text[at] === '/' && expectsValue()) {
			const end = match(expression, text, at);
			if (end > 0) {
				at = end;
				previous = '"';
				continue;
			}
		}
		const wordEnd = match(word, text, at);
		if (wordEnd > 0) {
			previous = text.slice(at, wordEnd);
			at = wordEnd;
			continue;
		}
		const end = numberStartsAt(text, at) ? match(number, text, at) : 0;
		if (end > 0) {
			const full = match(suffix, text, end) || end;
			const broken = match(tail, text, full) > full && !/^\.[.\p{ID_Start}]/u.test(text.slice(full, full + 3));
			if (broken || /^0[\dxXoObB_]/.test(text.slice(at, full))) at = match(tail, text, at);
			else {
				const signed = text[at - 1] === '-' && previous === '-' && signStandsAlone(text, at - 1, valueComesNext);
				const start = signed ? at - 1 : at;
				numbers.push({ start, end, text: text.slice(start, end) });
				at = full;
			}
			previous = '0';
			continue;
		}
		if (!/\s/.test(text[at]!)) previous = text[at]!;
		at += 1;
	}
	return { comments, numbers };
}

/** The end of what the sticky expression matches at `at`, or 0. */
function match(pattern: RegExp, text: string, at: number): number {
	pattern.lastIndex = at;
	return pattern.test(text) ? pattern.lastIndex : 0;
}

function endOfLine(text: string, at: number): number {
	const end = text.indexOf('\n', at);
	return end < 0 ? text.length : end;
}

function bare(body: string): string {
	return body.replace(/^[\s*/#!;%-]+|[\s*/#-]+$/g, '');
}

/** A digit, or a dot before one; not in `pair.0`, `$1`, `#123`, `\1`. */
function numberStartsAt(text: string, at: number): boolean {
	const before = text[at - 1] ?? '';
	if (/\d/.test(text[at]!)) return !/[\p{ID_Continue}$#\\@']/u.test(before) && (before !== '.' || text[at - 2] === '.');
	return text[at] === '.' && /\d/.test(text[at + 1] ?? '') && !/[\p{ID_Continue}$.)\]]/u.test(before);
}

/** True when no value stands before the minus: it is the number's own sign. */
function signStandsAlone(text: string, minus: number, words: ReadonlySet<string>): boolean {
	const before = text.slice(Math.max(0, minus - 40), minus).trimEnd();
	if (before === '' || '=([{,:;?<>&|*/+-%^!~'.includes(before.at(-1)!)) return true;
	const last = /[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.exec(before)?.[0];
	return last !== undefined && words.has(last);
}

function endOfString(text: string, start: number, form: { readonly open: string; readonly kind: string }): number {
	let at = start + form.open.length;
	while (at < text.length) {
		if (text.startsWith(form.open, at)) return at + form.open.length;
		if (form.kind === 'line' && text[at] === '\n') return at;
		if (form.kind === 'template' && text.startsWith('${', at)) at = endOfSubstitution(text, at + 2);
		else at += text[at] === '\\' && form.kind !== 'raw-lines' ? 2 : 1;
	}
	return text.length;
}

/** Behind the brace that closes `${`; strings and templates inside are skipped whole. */
function endOfSubstitution(text: string, start: number): number {
	let depth = 1;
	let at = start;
	while (at < text.length) {
		const open = text[at]!;
		if (open === '"' || open === "'") at = endOfString(text, at, { open, kind: 'line' });
		else if (open === '`') at = endOfString(text, at, { open, kind: 'template' });
		else {
			if (open === '{') depth += 1;
			if (open === '}') depth -= 1;
			at += 1;
			if (depth === 0) return at;
		}
	}
	return text.length;
}
