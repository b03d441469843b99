import type { Tunable } from './tunable.ts';

const digits = 4;

/**
 * Writes a value the way the literal was written: whole stays whole, a point keeps its point, an exponent its letter,
 * `1_000` its groups. Four significant digits, more where a range demands it. Never an exponent that was not there.
 */
export function numberText(value: number, literal: Tunable): string {
	const text = literal.integer ? wholeText(value, literal) : realText(value, literal);
	const written = Number(text.replaceAll('_', ''));
	return written === literal.value || !isInside(written, literal) ? literal.text : text;
}

function wholeText(value: number, { text }: Tunable): string {
	const whole = (Math.round(value) || 0).toFixed(0);
	const grouped = text.includes('_') ? whole.replace(/\B(?=(?:\d{3})+$)/g, '_') : whole;
	if (/^-?[\d_]+$/.test(text)) return grouped;
	const exponent = /[eE]/.exec(text)?.[0];
	return exponent ? exponentText(Math.round(value), text, exponent) : `${grouped}.0`;
}

function realText(value: number, literal: Tunable): string {
	const exponent = /[eE]/.exec(literal.text)?.[0];
	if (exponent) return exponentText(value, literal.text, exponent);
	const distance = literal.scale === 'logit' ? Math.min(value - literal.lower, literal.upper - value) : Math.abs(value);
	const usual = distance > 0 ? digits - 1 - Math.floor(Math.log10(distance)) : 1;
	for (let decimals = Math.min(15, Math.max(1, usual)); decimals < 20; decimals += 1) {
		const text = withoutZeros(value.toFixed(decimals));
		if (isInside(Number(text), literal)) return text;
	}
	return literal.text;
}

function exponentText(value: number, original: string, letter: string): string {
	const [mantissa, power] = value.toExponential(digits - 1).split('e') as [string, string];
	const short = withoutZeros(mantissa);
	const written = original.includes('.') ? short : short.replace(/\.0$/, '');
	return `${written}${letter}${power.replace('+', '')}`;
}

/** `0.5000` to `0.5`, `3.000` to `3.0`. */
function withoutZeros(text: string): string {
	return text.replace(/(\.\d+?)0+$/, '$1').replace(/^-(0\.0+)$/, '$1');
}

/** The ends of a logit's range are open: 0 and 1 themselves are another program. */
function isInside(value: number, { lower, upper, scale }: Tunable): boolean {
	return scale === 'logit' ? lower < value && value < upper : lower <= value && value <= upper;
}
