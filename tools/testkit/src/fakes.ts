import type { Clock, Ids } from '@kapso-evolve/contracts';

export interface FakeClock extends Clock {
	advance(milliseconds: number): void;
}

/** A clock that stands still until it is told to move; every reading is the same in every run. */
export function fakeClock(start = '2030-01-01T00:00:00.000Z'): FakeClock {
	let elapsed = 0;
	const origin = Date.parse(start);
	return {
		now: () => new Date(origin + elapsed),
		monotonicMs: () => elapsed,
		advance(milliseconds) {
			elapsed += milliseconds;
		},
	};
}

/** `campaign-1`, `nonce-2`, …: unique within one run of a test and the same in the next. */
export function countingIds(): Ids {
	let count = 0;
	return { next: (kind) => `${kind}-${++count}` };
}
