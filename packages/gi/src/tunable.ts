import type { Span } from './scan.ts';
import type { Scale, TuneTag } from './tune-tag.ts';

/** A numeric literal that may be changed, and the space in which it is searched. */
export interface Tunable extends Span {
	readonly path: string;
	/** Counted from 1, for people. */
	readonly line: number;
	/** As it stands in the file, sign included, unit (`f`, `n`, `px`) not. */
	readonly text: string;
	readonly value: number;
	/** Whole numbers stay whole. */
	readonly integer: boolean;
	readonly scale: Scale;
	readonly lower: number;
	readonly upper: number;
}

const widest = 1000;

/**
 * Scale and range from the value, where the tag does not say: 0 < v < 1 logit, other positive numbers and whole
 * numbers log, the rest linear. Null for what cannot be tuned: an untagged 0, numbers beyond exact integers.
 */
export function tunableOf(
	literal: Span & { readonly path: string; readonly line: number; readonly text: string },
	tag: TuneTag | null,
): Tunable | null {
	const value = Number(literal.text.replaceAll('_', ''));
	const whole = /^-?[\d_]+$/.test(literal.text);
	if (!Number.isFinite(value) || Math.abs(value) > 1e15 || (whole && value === 0 && !tag)) return null;
	const integer = whole || tag?.integer === true;
	const scale = scaleOf(value, integer, tag);
	const [lower, upper] = tag?.range ?? rangeOf(value, integer, scale);
	const bounds = integer ? { lower: Math.ceil(lower), upper: Math.floor(upper) } : { lower, upper };
	if (!(bounds.lower < bounds.upper)) return null;
	return { ...literal, value, integer, scale, ...bounds };
}

function scaleOf(value: number, integer: boolean, tag: TuneTag | null): Scale {
	const lower = tag?.range?.[0] ?? (value > 0 ? 0 : -1);
	const upper = tag?.range?.[1] ?? 1;
	if (tag?.scale === 'log' || tag?.scale === 'logit') {
		const possible = tag.scale === 'log' ? value > 0 || tag.range !== null : tag.range !== null || fraction(value);
		return possible ? tag.scale : 'linear';
	}
	if (tag?.scale === 'linear') return 'linear';
	if (integer) return value > 0 && (tag?.range ? lower > 0 : true) ? 'log' : 'linear';
	if (fraction(value) && lower >= 0 && upper <= 1) return 'logit';
	return value > 0 && (tag?.range ? lower > 0 : true) ? 'log' : 'linear';
}

function rangeOf(value: number, integer: boolean, scale: Scale): [number, number] {
	if (scale === 'logit') return [0, 1];
	if (scale === 'log') {
		return [integer ? 1 : value / widest, Math.min(value * widest, integer ? 2 ** 31 - 1 : Number.POSITIVE_INFINITY)];
	}
	const reach = widest * Math.max(Math.abs(value), 1);
	return [-reach, reach];
}

function fraction(value: number): boolean {
	return value > 0 && value < 1;
}
