export interface Row {
	readonly files: number;
	readonly what: string;
	/** Median wall milliseconds of ours and of the bare git command, measured in turn. */
	readonly ours_ms: number | null;
	readonly git_ms: number | null;
	/** Median of the rounds' own `ours / git`: a disturbance hits both sides of a round. */
	readonly ratio: number | null;
	/** What the ratio must not exceed; null where nothing is promised at this size. */
	readonly limit: number | null;
	readonly [detail: string]: number | string | null;
}

export async function milliseconds(task: () => Promise<unknown>): Promise<number> {
	const started = performance.now();
	await task();
	return performance.now() - started;
}

/** Each round measures both, the first one of a round taking turns. Both get the number of the round. */
export async function pair(
	rounds: number,
	ours: (round: number) => Promise<number>,
	gits: (round: number) => Promise<number>,
): Promise<Pick<Row, 'ours_ms' | 'git_ms' | 'ratio'>> {
	const measured: { ours: number; git: number }[] = [];
	for (let number = 0; number < rounds; number++) {
		if (number % 2 === 0) {
			const first = await ours(number);
			measured.push({ ours: first, git: await gits(number) });
		} else {
			const first = await gits(number);
			measured.push({ ours: await ours(number), git: first });
		}
	}
	return {
		ours_ms: rounded(median(measured.map((each) => each.ours))),
		git_ms: rounded(median(measured.map((each) => each.git))),
		ratio: rounded(median(measured.map((each) => each.ours / each.git))),
	};
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)]!;
}

export function rounded(value: number): number {
	return Math.round(value * 100) / 100;
}
