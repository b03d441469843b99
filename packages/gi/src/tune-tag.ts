/** What a `tune:` comment says about the literal beside it; null where it leaves the choice to the literal's value. */
export interface TuneTag {
	readonly integer: boolean;
	readonly scale: Scale | null;
	readonly range: readonly [lower: number, upper: number] | null;
}
/** The space a literal is searched in: the number itself, its logarithm, or the logit of its place in a range. */
export type Scale = 'linear' | 'log' | 'logit';

const bound = '[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?';
const range = new RegExp(`^(${bound})\\.\\.(${bound})$`);

/**
 * Reads `tune:`, then in any order a range `0.1..10` and words of `int`, `log`, `logit`, `linear`.
 * Gives null when the comment is no tag, and the reason as text when it is one that cannot be read.
 */
export function parseTuneTag(body: string): TuneTag | string | null {
	const rest = /^tune:(.*)$/s.exec(body)?.[1];
	if (rest === undefined) return null;
	let tag: TuneTag = { integer: false, scale: null, range: null };
	for (const word of rest.split(/\s+/).filter(Boolean)) {
		const bounds = range.exec(word);
		if (bounds) tag = { ...tag, range: [Number(bounds[1]), Number(bounds[2])] };
		else if (word === 'int') tag = { ...tag, integer: true };
		else if (word === 'log' || word === 'logit' || word === 'linear') tag = { ...tag, scale: word };
		else return `"${word}" is neither a range such as 0.1..10 nor one of int, log, logit, linear`;
	}
	if (tag.range && !(tag.range[0] < tag.range[1])) return `the range ${tag.range.join('..')} is empty`;
	if (tag.scale === 'log' && tag.range && tag.range[0] <= 0) return 'a log scale needs a range above 0';
	return tag;
}
