import { KapsoError } from '@kapso-evolve/contracts';

/**
 * A COMMAND of the command line or the configuration as an argv: a JSON array of strings, or one string split as a
 * POSIX shell splits words (XCU 2.2 and 2.6.5). It is never given to a shell, so whatever a shell would do beyond
 * splitting (operators, expansions, patterns, assignments) is refused instead of taken as plain text.
 */
export function parseCommandWords(text: string): [string, ...string[]] {
	const words = text.trimStart().startsWith('[') ? parseJsonWords(text) : splitWords(text);
	const [program, ...rest] = words;
	if (program === undefined || program === '') throw refused(text, 'it names no program');
	return [program, ...rest];
}

function parseJsonWords(text: string): string[] {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		throw refused(text, `it starts as a JSON array and is none (${(error as Error).message})`);
	}
	if (Array.isArray(value) && value.every((word): word is string => typeof word === 'string')) {
		if (value.some((word) => word.includes('\0'))) throw refused(text, 'it contains a NUL character');
		return value;
	}
	throw refused(text, 'a JSON command is an array of strings and nothing else');
}

/** Characters that mean something to a shell wherever they stand unquoted. */
const operators = '|&;<>()';
const patterns = '*?[';

function splitWords(text: string): string[] {
	const words: string[] = [];
	/** Null between words: an empty quoted word is a word. */
	let word: string | null = null;
	let quote: "'" | '"' | null = null;
	for (let index = 0; index < text.length; index++) {
		const character = text[index]!;
		if (character === '\0') throw refused(text, 'it contains a NUL character');
		if (quote === "'") {
			if (character === "'") quote = null;
			else word += character;
			continue;
		}
		if (character === '\\') {
			const next = text[++index];
			if (next === undefined) throw refused(text, 'it ends in a backslash');
			if (next === '\n') continue;
			word = (word ?? '') + (quote === '"' && !'$`"\\'.includes(next) ? `\\${next}` : next);
			continue;
		}
		if (character === '$' || character === '`') throw refused(text, `nothing expands ${character} here`);
		if (quote === '"') {
			if (character === '"') quote = null;
			else word += character;
		} else if (character === "'" || character === '"') {
			quote = character;
			word ??= '';
		} else if (character === ' ' || character === '\t') {
			if (word !== null) words.push(word);
			word = null;
		} else if (character === '\n') {
			if (text.slice(index).trim() !== '') throw refused(text, 'it has more than one line');
		} else if (operators.includes(character)) {
			throw refused(text, `no shell runs here to understand ${character}`);
		} else if (patterns.includes(character)) {
			throw refused(text, `nothing expands ${character} here`);
		} else if (word === null && (character === '~' || character === '#')) {
			throw refused(text, `a shell would not take ${character} at the start of a word as it is`);
		} else if (word === null && words.length === 0 && '!{}'.includes(character)) {
			throw refused(text, `no shell runs here to understand ${character}`);
		} else if (character === '=' && words.length === 0 && /^[A-Za-z_]\w*$/.test(word ?? '')) {
			throw refused(text, 'it starts with an assignment; write env NAME=value PROGRAM …');
		} else word = (word ?? '') + character;
	}
	if (quote !== null) throw refused(text, `a ${quote} is never closed`);
	if (word !== null) words.push(word);
	return words;
}

function refused(text: string, reason: string): KapsoError {
	return new KapsoError({
		code: 'COMMAND_WORDS',
		category: 'usage',
		message: `the command ${JSON.stringify(text)} cannot be taken apart: ${reason}`,
		hint: `nothing was started; quote what is meant literally with '…', or write a JSON array: ["node", "agent.mjs"]`,
		data: { command: text, reason },
	});
}
