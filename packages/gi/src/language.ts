/** How a string starts and ends. `char`: only `'x'` or `'\n'`, so that lifetimes and apostrophes open nothing. */
interface StringForm {
	readonly open: string;
	readonly kind: 'line' | 'lines' | 'raw-lines' | 'char' | 'template';
}

/** What the scanner must know to tell code from comments and strings. */
export interface Language {
	/** Openers of comments that end with the line. */
	readonly line: readonly string[];
	/** Line comments count only at the start of a line or after white space (`$#` and `a#b` are none). */
	readonly spaced: boolean;
	readonly block: readonly (readonly [open: string, close: string])[];
	/** Longer openers first. */
	readonly strings: readonly StringForm[];
	/** A slash where a value is expected opens a regular expression. */
	readonly expressions: boolean;
}

const quotes = (...forms: readonly (readonly [string, StringForm['kind']])[]): StringForm[] =>
	forms.map(([open, kind]) => ({ open, kind }));
const plain = { spaced: false, block: [], expressions: false };
const slashes = { ...plain, line: ['//'], block: [['/*', '*/'] as const] };

const javascript: Language = {
	...slashes,
	strings: quotes(['"', 'line'], ["'", 'line'], ['`', 'template']),
	expressions: true,
};
const c: Language = { ...slashes, strings: quotes(['"""', 'raw-lines'], ['"', 'line'], ["'", 'char']) };
const rust: Language = { ...slashes, strings: quotes(['"', 'lines'], ["'", 'char']) };
const go: Language = { ...slashes, strings: quotes(['"', 'line'], ["'", 'char'], ['`', 'raw-lines']) };
const php: Language = { ...slashes, line: ['//', '#'], strings: quotes(['"', 'lines'], ["'", 'lines']) };
const styles: Language = { ...slashes, strings: quotes(['"', 'line'], ["'", 'line']) };
const hash: Language = { ...plain, line: ['#'], strings: quotes(['"', 'line'], ["'", 'line']) };
const python: Language = {
	...hash,
	strings: quotes(['"""', 'lines'], ["'''", 'lines'], ['"', 'line'], ["'", 'line']),
};
const shell: Language = { ...hash, spaced: true, strings: quotes(['"', 'lines'], ["'", 'raw-lines']) };
const settings: Language = { ...python, spaced: true };
const dashes: Language = {
	...plain,
	line: ['--'],
	block: [
		['--[[', ']]'],
		['{-', '-}'],
		['/*', '*/'],
	],
	strings: quotes(['"', 'line'], ["'", 'char']),
};
const sql: Language = { ...dashes, block: [['/*', '*/']], strings: quotes(['"', 'line'], ["'", 'lines']) };
const lua: Language = { ...dashes, block: [['--[[', ']]']], strings: quotes(['"', 'line'], ["'", 'line']) };
const lisp: Language = { ...plain, line: [';'], strings: quotes(['"', 'lines']) };
const percent: Language = { ...plain, line: ['%'], strings: quotes(['"', 'line']) };
const fortran: Language = { ...plain, line: ['!'], strings: quotes(['"', 'line'], ["'", 'line']) };
/** For names we do not know: the two commonest comment styles, the cautious kind of quote. */
const unknown: Language = {
	...slashes,
	line: ['//', '#'],
	spaced: true,
	strings: quotes(['"', 'line'], ["'", 'char']),
};

const byExtension: ReadonlyMap<string, Language | null> = new Map(
	(
		[
			[javascript, 'js mjs cjs jsx ts mts cts tsx'],
			[c, 'c h cc cpp cxx hh hpp cu cuh m mm java kt kts scala cs swift dart zig d glsl wgsl proto'],
			[rust, 'rs'],
			[go, 'go'],
			[php, 'php'],
			[styles, 'css scss less jsonc json5'],
			[python, 'py pyi pyx nim jl'],
			[hash, 'rb pl pm r ex exs cr awk'],
			[shell, 'sh bash zsh fish mk cmake tcl dockerfile makefile'],
			[settings, 'yaml yml toml cfg conf ini properties env'],
			[dashes, 'hs elm ada adb ads vhdl vhd'],
			[sql, 'sql'],
			[lua, 'lua'],
			[lisp, 'lisp cl el clj cljs scm rkt'],
			[percent, 'tex erl hrl pro'],
			[fortran, 'f90 f95 f03 f08'],
			// Prose and data without comments: a marker there is talk about markers.
			[null, 'md markdown txt rst adoc html xml svg json lock csv tsv'],
		] as const
	).flatMap(([language, names]) => names.split(' ').map((name) => [name, language] as const)),
);

/** The comment and string forms for a file's name, or null when nothing in it can be tuned. */
export function languageOf(path: string): Language | null {
	const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
	const found = byExtension.get(name.slice(name.lastIndexOf('.') + 1));
	return found === undefined ? unknown : found;
}
