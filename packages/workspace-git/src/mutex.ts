/** Runs one task at a time, in the order of the calls. */
export interface Mutex {
	run<T>(task: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
	let last: Promise<unknown> = Promise.resolve();
	return {
		run(task) {
			const next = last.then(task);
			// The next in line waits for the end, however it ended; the caller of this one gets the error.
			last = next.catch(() => {});
			return next;
		},
	};
}
