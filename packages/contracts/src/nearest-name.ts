/** The known name closest to what somebody typed, or null when none is near (at most a third of its letters wrong). */
export function nearestName(typed: string, known: Iterable<string>): string | null {
	let best: string | null = null;
	let bestDistance = Number.POSITIVE_INFINITY;
	for (const name of known) {
		const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
		if (distance < bestDistance) [best, bestDistance] = [name, distance];
	}
	return best !== null && bestDistance <= Math.max(1, Math.floor(best.length / 3)) ? best : null;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++) {
			const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
			next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
		}
		row = next;
	}
	return row[b.length]!;
}
