type City = readonly [x: number, y: number];

/**
 * Length (edges rounded, as score.mjs counts them) of the shortest tour found by iterated local search: 2-opt and
 * Or-opt to a local optimum, a double-bridge kick, again; several starts, and the shortest counts.
 */
export function bestKnownLength(cities: readonly City[], random: () => number): number {
	const distance = cities.map(([x, y]) => cities.map(([u, v]) => Math.round(Math.sqrt((x - u) ** 2 + (y - v) ** 2))));
	let best = Number.POSITIVE_INFINITY;
	for (let start = 0; start < 6; start += 1) {
		let tour = descend(shuffled(cities.length, random), distance);
		let length = tourLength(tour, distance);
		for (let kick = 0; kick < 1500; kick += 1) {
			const kicked = descend(doubleBridge(tour, random), distance);
			const kickedLength = tourLength(kicked, distance);
			if (kickedLength <= length) [tour, length] = [kicked, kickedLength];
		}
		best = Math.min(best, length);
	}
	return best;
}

function descend(from: readonly number[], distance: readonly number[][]): number[] {
	let tour = [...from];
	for (let improved = true; improved; ) {
		improved = false;
		const shorter = firstReversal(tour, distance) ?? firstInsertion(tour, distance);
		if (shorter) {
			tour = shorter;
			improved = true;
		}
	}
	return tour;
}

function firstReversal(tour: number[], distance: readonly number[][]): number[] | null {
	const size = tour.length;
	let found = false;
	for (let i = 0; i < size - 1; i += 1) {
		for (let j = i + 2; j < size; j += 1) {
			const [a, b, c, d] = [tour[i]!, tour[i + 1]!, tour[j]!, tour[(j + 1) % size]!];
			if (d === a || distance[a]![c]! + distance[b]![d]! >= distance[a]![b]! + distance[c]![d]!) continue;
			for (let left = i + 1, right = j; left < right; left += 1, right -= 1) {
				[tour[left], tour[right]] = [tour[right]!, tour[left]!];
			}
			found = true;
		}
	}
	return found ? tour : null;
}

function firstInsertion(tour: number[], distance: readonly number[][]): number[] | null {
	const size = tour.length;
	for (let count = 1; count <= 3; count += 1) {
		for (let from = 0; from < size; from += 1) {
			const turned = [...tour.slice(from), ...tour.slice(0, from)];
			const [head, last] = [turned[0]!, turned[count - 1]!];
			const rest = turned.slice(count);
			const [after, before] = [rest[0]!, rest[rest.length - 1]!];
			const saved = distance[before]![head]! + distance[last]![after]! - distance[before]![after]!;
			for (let at = 0; at < rest.length - 1; at += 1) {
				const [a, b] = [rest[at]!, rest[at + 1]!];
				const straight = distance[a]![head]! + distance[last]![b]! - distance[a]![b]!;
				const turnedRound = distance[a]![last]! + distance[head]![b]! - distance[a]![b]!;
				if (Math.min(straight, turnedRound) >= saved) continue;
				const segment = turned.slice(0, count);
				if (turnedRound < straight) segment.reverse();
				return [...rest.slice(0, at + 1), ...segment, ...rest.slice(at + 1)];
			}
		}
	}
	return null;
}

function doubleBridge(tour: readonly number[], random: () => number): number[] {
	const cuts = Array.from({ length: 3 }, () => 1 + Math.floor(random() * (tour.length - 1))).sort((a, b) => a - b);
	const [a, b, c] = cuts as [number, number, number];
	return [...tour.slice(0, a), ...tour.slice(b, c), ...tour.slice(a, b), ...tour.slice(c)];
}

function shuffled(size: number, random: () => number): number[] {
	const order = Array.from({ length: size }, (_, index) => index);
	for (let index = size - 1; index > 0; index -= 1) {
		const other = Math.floor(random() * (index + 1));
		[order[index], order[other]] = [order[other]!, order[index]!];
	}
	return order;
}

function tourLength(tour: readonly number[], distance: readonly number[][]): number {
	return tour.reduce((sum, city, index) => sum + distance[city]![tour[(index + 1) % tour.length]!]!, 0);
}
