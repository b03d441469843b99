import { coreSections, type RepoMemory } from './repo-memory.ts';

/**
 * The part that a prompt can hold: summary and table of contents with the ids of the sections. At most `maxChars`
 * UTF-16 units, cut at a line where one is near, never within a character.
 */
export function renderSummary(memory: RepoMemory, options: { readonly maxChars: number }): string {
	const { summary, toc, sections } = memory.book;
	const oneLiners = new Map(toc.map((entry) => [entry.id, entry.one_liner]));
	const lines = Object.entries(sections)
		.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
		.map(([id, section]) => {
			const oneLiner = section.one_liner || oneLiners.get(id) || '';
			return `- [${id}] ${section.title}${oneLiner === '' ? '' : `: ${oneLiner}`}`;
		});
	const text = ['## Summary', summary.trim() || '(none)', '', '## Table of contents', ...lines].join('\n');
	return cut(text, Math.max(0, Math.floor(options.maxChars)));
}

function rank(id: string): number {
	const index = (coreSections as readonly string[]).indexOf(id);
	return index < 0 ? coreSections.length : index;
}

const ellipsis = '…';

function cut(text: string, maxChars: number): string {
	if (text.length <= maxChars) return text;
	if (maxChars === 0) return '';
	const room = text.slice(0, maxChars - ellipsis.length);
	const line = room.lastIndexOf('\n');
	const kept = line > room.length / 2 ? room.slice(0, line + 1) : room.replace(/[\uD800-\uDBFF]$/, '');
	return `${kept}${ellipsis}`;
}
