import type { Random } from '@kapso-evolve/contracts';
import { z } from 'zod';

const seconds = z.number().min(0).max(86_400);

/** The configuration block `retry` (milestone 8): its keys, its defaults, nothing else. */
export const retryPolicySchema = z
	.strictObject({
		/** The first request counts. */
		max_attempts: z.int().min(1).max(100).default(2),
		initial_delay_seconds: seconds.default(5),
		max_delay_seconds: seconds.default(60),
		multiplier: z.number().min(1).max(1000).default(2),
		/** Full jitter: each delay is drawn from zero up to the scheduled one. */
		jitter: z.boolean().default(true),
		/** For each attempt, so that a connection left open by the other side ends. */
		request_timeout_seconds: z.number().positive().max(86_400).default(600),
	})
	.refine((policy) => policy.max_delay_seconds >= policy.initial_delay_seconds, {
		path: ['max_delay_seconds'],
		message: 'must be at least initial_delay_seconds',
		when: ({ value }) => typeof value === 'object' && value !== null,
	});
export type RetryPolicy = z.output<typeof retryPolicySchema>;
export type RetryPolicyInput = z.input<typeof retryPolicySchema>;

/**
 * Seconds to wait before each retry, `max_attempts - 1` of them: exponential, capped, with full jitter from `random`
 * when the policy asks for it.
 */
export function retryDelays(policy: RetryPolicy, random: Random): number[] {
	return Array.from({ length: policy.max_attempts - 1 }, (_, retry) => {
		const delay = Math.min(policy.max_delay_seconds, policy.initial_delay_seconds * policy.multiplier ** retry);
		return policy.jitter ? delay * random.next() : delay;
	});
}
