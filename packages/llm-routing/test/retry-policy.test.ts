import { type Random, seededRandom } from '@kapso-evolve/contracts';
import { describe, expect, it } from 'vitest';
import { type RetryPolicyInput, resolveRoutes, retryDelays, retryPolicySchema } from '../src/index.ts';

const forbidden: Random = {
	next() {
		throw new Error('no randomness without jitter');
	},
};

describe('retry policy', () => {
	it('has the roadmap’s keys and values as defaults, and a request timeout [M803]', () => {
		expect(resolveRoutes().retry).toEqual({
			max_attempts: 2,
			initial_delay_seconds: 5,
			max_delay_seconds: 60,
			multiplier: 2,
			jitter: true,
			request_timeout_seconds: 600,
		});
	});

	it('waits between attempts, grows by the multiplier and stops at the cap [M808, M809]', () => {
		const policy = retryPolicySchema.parse({
			max_attempts: 6,
			initial_delay_seconds: 1,
			max_delay_seconds: 5,
			jitter: false,
		});
		expect(retryDelays(policy, forbidden)).toEqual([1, 2, 4, 5, 5]);
	});

	it('does not wait when the first attempt is the only one [M809]', () => {
		expect(retryDelays(retryPolicySchema.parse({ max_attempts: 1 }), forbidden)).toEqual([]);
	});

	it('stays capped for the largest policy that it accepts [M808]', () => {
		const policy = retryPolicySchema.parse({ max_attempts: 100, multiplier: 1000, jitter: false });
		expect(retryDelays(policy, forbidden).at(-1)).toBe(60);
	});

	it('draws every delay from zero up to the scheduled one, the same for the same seed [M808]', () => {
		const policy = retryPolicySchema.parse({ max_attempts: 5, initial_delay_seconds: 2, max_delay_seconds: 8 });
		const delays = retryDelays(policy, seededRandom(7));
		expect(delays).toEqual(retryDelays(policy, seededRandom(7)));
		for (const [index, cap] of [2, 4, 8, 8].entries()) {
			expect(delays[index]).toBeGreaterThanOrEqual(0);
			expect(delays[index]).toBeLessThan(cap);
		}
		expect(new Set(delays).size).toBe(4);
	});

	it.each<Record<string, unknown>>([
		{ max_attempts: 0 },
		{ max_attempts: true },
		{ max_attempts: 1.5 },
		{ initial_delay_seconds: -1 },
		{ initial_delay_seconds: 10, max_delay_seconds: 9 },
		{ multiplier: 0.5 },
		{ multiplier: Number.NaN },
		{ jitter: 'yes' },
		{ request_timeout_seconds: 0 },
		{ request_timeout_seconds: Number.POSITIVE_INFINITY },
		{ max_retries: 3 },
	])('refuses %j at the start [A138, M812]', (retry) => {
		expect(() => resolveRoutes({ retry: retry as RetryPolicyInput })).toThrow(/retry/);
	});
});
