import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText } from '../src/number-text.ts';
import { coordinateOf } from '../src/search-space.ts';
import { type Tunable, tunableOf } from '../src/tunable.ts';
import { parseTuneTag } from '../src/tune-tag.ts';

function tunable(text: string, tag?: string): Tunable | null {
	const parsed = tag === undefined ? null : parseTuneTag(`tune: ${tag}`);
	if (typeof parsed === 'string') throw new Error(parsed);
	return tunableOf({ path: 'a.js', line: 1, start: 0, end: text.length, text }, parsed);
}

describe('a number is written as its literal was', () => {
	it.each<[string, number, string]>([
		['3', 7.4, '7'],
		['1_000', 123_456.8, '123_457'],
		['3.0', 4, '4.0'],
		['3.', 2, '2.0'],
		['.5', 0.25, '0.25'],
		['2.5', 0.0123456, '0.01235'],
		['0.99', 0.998765432, '0.998765'],
		['1e-3', 0.0123456, '1.235e-2'],
		['1.0E3', 2_000, '2.0E3'],
		['-2.5', 1.25, '1.25'],
		['-2.5', -0.00001, '-0.00001'],
	])('%s becomes %d as %s', (literal, value, expected) => {
		expect(numberText(value, tunable(literal)!)).toBe(expected);
	});
	it('and as it stands where the value is the same', () => {
		expect(numberText(3, tunable('3.000')!)).toBe('3.000');
		expect(coordinateOf(tunable('.50')!).textAt(0)).toBe('.50');
	});
});

const literals = fc.oneof(
	fc.integer({ min: 1, max: 1_000_000 }).map(String),
	fc.double({ min: 1e-4, max: 1e6, noNaN: true }).map((value) => value.toFixed(6)),
	fc.double({ min: -1e6, max: -1e-4, noNaN: true }).map((value) => value.toFixed(6)),
	fc.double({ min: 1e-9, max: 1e9, noNaN: true }).map((value) => value.toExponential(3).replace('e+', 'e')),
);
const tags = fc.constantFrom(undefined, '', 'int', 'log', 'linear', 'logit', '0.5..2000', 'int 1..64', '-3..3', '0..1');
const coordinates = fc.double({ min: -60, max: 60, noNaN: true });

it('every coordinate of every literal is a plain number of the same kind inside its range', () => {
	fc.assert(
		fc.property(literals, tags, coordinates, (literal, tag, coordinate) => {
			const found = tunable(literal, tag);
			if (!found) return;
			const space = coordinateOf(found);
			const text = space.textAt(space.clamp(coordinate));
			if (text === literal) return;
			const exponent = /e/.test(literal) ? 'e-?\\d+' : '';
			const point = /[.]/.test(literal) ? '\\.\\d+' : '';
			expect(text).toMatch(new RegExp(`^-?\\d+${point}${exponent}$`));
			expect(Number(text)).toBeGreaterThanOrEqual(found.lower);
			expect(Number(text)).toBeLessThanOrEqual(found.upper);
			if (found.integer) expect(Number.isInteger(Number(text))).toBe(true);
		}),
		{ seed: 7, numRuns: 3000 },
	);
});

it('0.99 moves usefully: a step away is neither the same nor 1', () => {
	const space = coordinateOf(tunable('0.99')!);
	expect([-2, -1, 1, 2].map((step) => space.textAt(step))).toEqual(['0.96065', '0.98006', '0.995009', '0.997515']);
});
