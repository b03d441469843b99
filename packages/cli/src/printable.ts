/**
 * Text of agents, suites and repositories made safe for a terminal: control characters and the marks that reorder a
 * line are shown as escapes instead of obeyed. Line breaks and tabs stay.
 */
export function printable(text: string): string {
	return text.replace(/(?![\n\t])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
		const code = character.charCodeAt(0);
		return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
	});
}

/** The same on one line, cut to a width. */
export function printableLine(text: string, width = Number.POSITIVE_INFINITY): string {
	const line = printable(text.replace(/\s+/g, ' ').trim());
	return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
