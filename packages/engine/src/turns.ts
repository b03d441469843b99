/** Lets at most so many tasks run at a time, in the order in which they asked. */
export interface Turns {
	run<T>(task: () => Promise<T>): Promise<T>;
}

export function createTurns(limit: number): Turns {
	const waiting: (() => void)[] = [];
	let running = 0;
	return {
		async run(task) {
			if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
			else running += 1;
			try {
				return await task();
			} finally {
				// The place is handed to the next in line, or given back.
				const next = waiting.shift();
				if (next) next();
				else running -= 1;
			}
		},
	};
}
