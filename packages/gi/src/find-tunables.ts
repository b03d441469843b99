import { languageOf } from './language.ts';
import { type Scan, type Span, scan } from './scan.ts';
import { type Tunable, tunableOf } from './tunable.ts';
import { parseTuneTag, type TuneTag } from './tune-tag.ts';

export interface Found {
	readonly tunables: readonly Tunable[];
	/** Blocks that were opened and closed, with or without a literal inside. */
	readonly blocks: number;
	/** What makes it unclear which literals are meant: nothing may be changed. */
	readonly faults: readonly string[];
	/** Tags that were passed over, and why. */
	readonly notes: readonly string[];
}

/** The literals of one file that may be changed, in the order of the text. Pure. */
export function findTunables(path: string, text: string): Found {
	const language = /EVOLVE-BLOCK-|tune:/.test(text) ? languageOf(path) : null;
	if (!language) return { tunables: [], blocks: 0, faults: [], notes: [] };
	const scanned = scan(text, language);
	const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
	const { blocks, faults } = findBlocks(scanned, (at) => `${path}:${lineOf(at)}`);
	const { tags, notes } = findTags(scanned, text, (at) => `${path}:${lineOf(at)}`);

	const tunables: Tunable[] = [];
	for (const literal of scanned.numbers) {
		const tag = tags.get(literal.start) ?? null;
		if (!tag && !blocks.some(({ start, end }) => start <= literal.start && literal.end <= end)) continue;
		const tunable = tunableOf({ ...literal, path, line: lineOf(literal.start) }, tag);
		if (tunable) tunables.push(tunable);
		else if (tag) notes.push(`${path}:${lineOf(literal.start)}: ${literal.text} leaves nothing to tune in its range`);
	}
	return { tunables, blocks: blocks.length, faults, notes };
}

/** The stretches between the marker comments. A block that does not close, or opens twice, is a fault. */
function findBlocks({ comments }: Scan, place: (at: number) => string): { blocks: Span[]; faults: string[] } {
	const blocks: Span[] = [];
	const faults: string[] = [];
	let open: Span | null = null;
	for (const comment of comments) {
		const marker = /^EVOLVE-BLOCK-(START|END)\b/.exec(comment.body)?.[1];
		if (marker === 'START') {
			if (open) faults.push(`${place(comment.start)}: EVOLVE-BLOCK-START inside the block of ${place(open.start)}`);
			open = comment;
		} else if (marker === 'END') {
			if (open) blocks.push({ start: open.end, end: comment.start });
			else faults.push(`${place(comment.start)}: EVOLVE-BLOCK-END without a start`);
			open = null;
		}
	}
	if (open) faults.push(`${place(open.start)}: this EVOLVE-BLOCK-START is never closed`);
	return { blocks, faults };
}

/**
 * Tags by the start of the literal they speak of: the next one on the comment's last line, else the nearest before it
 * on its first line, else the first on the next line.
 */
function findTags(
	{ comments, numbers }: Scan,
	text: string,
	place: (at: number) => string,
): { tags: Map<number, TuneTag>; notes: string[] } {
	const tags = new Map<number, TuneTag>();
	const notes: string[] = [];
	for (const comment of comments) {
		const tag = parseTuneTag(comment.body);
		if (tag === null) continue;
		if (typeof tag === 'string') {
			notes.push(`${place(comment.start)}: this tag was passed over, ${tag}`);
			continue;
		}
		const lineStart = text.lastIndexOf('\n', comment.start - 1) + 1;
		const lineEnd = text.indexOf('\n', comment.end) < 0 ? text.length : text.indexOf('\n', comment.end);
		const nextEnd = text.indexOf('\n', lineEnd + 1) < 0 ? text.length : text.indexOf('\n', lineEnd + 1);
		const within = (from: number, to: number) => numbers.filter(({ start }) => start >= from && start < to);
		const literal =
			within(comment.end, lineEnd)[0] ?? within(lineStart, comment.start).at(-1) ?? within(lineEnd, nextEnd)[0];
		if (literal) tags.set(literal.start, tag);
		else notes.push(`${place(comment.start)}: this tag stands beside no number`);
	}
	return { tags, notes };
}
