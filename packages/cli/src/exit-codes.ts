import type { ErrorCategory } from '@kapso-evolve/contracts';

/** The table of the CLI contract. A change is a major version. */
export const exitCodes = {
	done: 0,
	verdict: 1,
	usage: 2,
	infrastructure: 3,
	locked: 4,
	interrupted: 130,
	terminated: 143,
} as const;

/** What a program's exit code says for an error of this category. */
export function exitCodeOfCategory(category: ErrorCategory): number {
	return exitCodes[category];
}
