/** Whether a second scoring of the same candidate counts as the same score (CONTRACTS 2, confirming the winner). */
export function isReproduced(options: {
	readonly first: number;
	readonly again: number;
	readonly noise: number;
}): boolean {
	return Math.abs(options.first - options.again) <= options.noise;
}
