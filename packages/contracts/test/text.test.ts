import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, nearestName, seededRandom, sha256 } from '../src/index.ts';

describe('canonical JSON', () => {
	it('gives equal data equal bytes, however its keys were ordered', () => {
		expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'é' })).toBe('{"a":"é","b":[{"c":null,"d":1}]}');
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = canonicalJson(value);
				expect(canonicalJson(reversed(value))).toBe(text);
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});

	it('refuses numbers that JSON does not have rather than writing null for them', () => {
		for (const number of [Number.NaN, Number.POSITIVE_INFINITY])
			expect(() => canonicalJson({ a: [number] })).toThrow(TypeError);
	});

	it('is hashed as UTF-8', () => {
		expect(sha256('é')).toBe(sha256(Buffer.from([0xc3, 0xa9])));
		expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
	});
});

/** The same data with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, field]) => [key, reversed(field)]),
	);
}

describe('the nearest name', () => {
	it('is what somebody meant, or null when nothing is near', () => {
		const known = ['claude-code', 'codex', 'gemini', 'gi'];
		expect(nearestName('claude_code', known)).toBe('claude-code');
		expect(nearestName('Codx', known)).toBe('codex');
		expect(nearestName('gx', known)).toBe('gi');
		expect(nearestName('something', known)).toBeNull();
		expect(nearestName('x', [])).toBeNull();
	});
});

describe('seeded randomness', () => {
	it('gives the same numbers for the same seed, uniform in [0, 1)', () => {
		const draw = (seed: number): number[] => {
			const random = seededRandom(seed);
			return Array.from({ length: 1000 }, () => random.next());
		};
		expect(draw(7)).toEqual(draw(7));
		expect(draw(7)).not.toEqual(draw(8));
		expect(draw(7).every((number) => number >= 0 && number < 1)).toBe(true);
		const mean = draw(7).reduce((sum, number) => sum + number) / 1000;
		expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
	});
});
