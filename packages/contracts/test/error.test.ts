import { describe, expect, it } from 'vitest';
import { describeThrown, KapsoError } from '../src/index.ts';

const situation = {
	code: 'SUITE_MISSING',
	category: 'usage',
	message: 'the suite folder /x does not exist',
	hint: 'nothing was created; name an existing folder with --eval-dir',
} as const;

describe('KapsoError', () => {
	it('carries code, category, message, hint, facts and the cause', () => {
		const cause = new Error('ENOENT');
		const error = new KapsoError({ ...situation, data: { path: '/x' }, cause });
		expect(error).toBeInstanceOf(Error);
		expect({ ...situation, data: error.data, cause: error.cause }).toEqual({
			code: error.code,
			category: error.category,
			message: error.message,
			hint: error.hint,
			data: { path: '/x' },
			cause,
		});
	});

	it('has empty facts and no cause when none are given', () => {
		const error = new KapsoError(situation);
		expect(error.data).toEqual({});
		expect('cause' in error).toBe(false);
	});

	it('is named after the class that was made, so that a log line says which', () => {
		class CampaignLockedError extends KapsoError {}
		expect(new CampaignLockedError({ ...situation, code: 'LOCKED', category: 'locked' }).name).toBe(
			'CampaignLockedError',
		);
	});

	it('is recognised when another copy of the package made it, which instanceof cannot do', async () => {
		const copyUrl = new URL('../src/error.ts?copy', import.meta.url).href;
		const copy = (await import(/* @vite-ignore */ copyUrl)) as typeof import('../src/error.ts');
		const foreign = new copy.KapsoError(situation);
		expect(copy.KapsoError).not.toBe(KapsoError);
		expect(foreign instanceof KapsoError).toBe(false);
		expect(KapsoError.isInstance(foreign)).toBe(true);
		expect(copy.KapsoError.isInstance(new KapsoError(situation))).toBe(true);
	});

	it('does not take other thrown values for its own', () => {
		for (const value of [new Error('x'), { code: 'X', category: 'usage' }, null, undefined, 'x', 1]) {
			expect(KapsoError.isInstance(value)).toBe(false);
		}
	});
});

describe('describeThrown', () => {
	it('gives type and message of an error, and type and text of anything else', () => {
		expect(describeThrown(new TypeError('x is not a function'))).toBe('TypeError: x is not a function');
		expect(describeThrown('stop')).toBe('string: stop');
		expect(describeThrown(undefined)).toBe('undefined: undefined');
		expect(describeThrown(Object.create(null))).toBe('object: without a text form');
	});
});
