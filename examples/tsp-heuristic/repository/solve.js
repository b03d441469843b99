/**
 * A short tour through cities in the plane, by simulated annealing with 2-opt and Or-opt moves.
 *
 * `cities` are [x, y] pairs, `random` gives uniform numbers in [0, 1) and `iterations` is the number of moves to try.
 * The answer is a permutation of the cities' indices. Same arguments, same answer: no clock, no other randomness.
 */
export function solve(cities, { random, iterations }) {
	// EVOLVE-BLOCK-START
	const startTemperature = 1.0; // in mean edge lengths of the first tour
	const cooling = 0.95; // factor on the temperature at the end of a sweep
	const sweep = 3; // moves tried in a sweep, for each city
	const nearest = 20; // neighbours of a city that a move may join it to
	const orOptShare = 0.1; // how often a segment is moved, instead of a part of the tour reversed
	const longestSegment = 6; // cities that move together at most
	const patience = 20; // sweeps without a new best tour before reheating
	const reheat = 2.0; // factor on the temperature when reheating
	// EVOLVE-BLOCK-END

	const size = cities.length;
	if (size < 5) return cities.map((_, index) => index);
	const distance = cities.map(([x, y]) => cities.map(([u, v]) => Math.hypot(x - u, y - v)));
	const neighbours = distance.map((row, city) =>
		[...row.keys()]
			.filter((other) => other !== city)
			.sort((a, b) => row[a] - row[b] || a - b)
			.slice(0, nearest),
	);

	let tour = nearestNeighbourTour(distance);
	const position = new Array(size);
	const place = () => {
		for (let index = 0; index < size; index += 1) position[tour[index]] = index;
	};
	place();

	let length = tourLength(tour, distance);
	let best = tour.slice();
	let bestLength = length;
	let temperature = (startTemperature * length) / size;
	let withoutBest = 0;
	const movesInSweep = sweep * size;

	for (let move = 1; move <= iterations; move += 1) {
		const city = Math.floor(random() * size);
		const candidates = neighbours[city];
		const target = candidates[Math.floor(random() * candidates.length)];
		const accepts = (delta) => delta <= 0 || random() < Math.exp(-delta / temperature);
		const delta =
			random() < orOptShare
				? moveSegment(city, target, 1 + Math.floor(random() * longestSegment), accepts)
				: reverseBetween(city, target, accepts);
		length += delta;
		if (length < bestLength - 1e-9) {
			bestLength = length;
			best = tour.slice();
			withoutBest = 0;
		}
		if (move % movesInSweep === 0) {
			temperature *= cooling;
			withoutBest += 1;
			if (withoutBest > patience) {
				temperature *= reheat;
				withoutBest = 0;
			}
		}
	}
	return best;

	/** 2-opt: `city` and `target` become neighbours, the part between them is reversed. Gives the change in length. */
	function reverseBetween(city, target, accepts) {
		let from = position[city];
		let to = position[target];
		if (from > to) [from, to] = [to, from];
		const [a, b] = [tour[from], tour[from + 1]];
		const [c, d] = [tour[to], tour[(to + 1) % size]];
		if (b === c || d === a) return 0;
		const delta = distance[a][c] + distance[b][d] - distance[a][b] - distance[c][d];
		if (!accepts(delta)) return 0;
		for (let left = from + 1, right = to; left < right; left += 1, right -= 1) {
			[tour[left], tour[right]] = [tour[right], tour[left]];
			position[tour[left]] = left;
			position[tour[right]] = right;
		}
		return delta;
	}

	/** Or-opt: the segment that starts at `city` moves behind `target`. Gives the change in length. */
	function moveSegment(city, target, wanted, accepts) {
		const count = Math.min(wanted, size - 3);
		const from = position[city];
		const segment = [];
		for (let step = 0; step < count; step += 1) segment.push(tour[(from + step) % size]);
		const before = tour[(from - 1 + size) % size];
		const after = tour[(from + count) % size];
		if (target === before || segment.includes(target)) return 0;
		const follower = tour[(position[target] + 1) % size];
		const last = segment[count - 1];
		const delta =
			distance[before][after] -
			distance[before][city] -
			distance[last][after] +
			distance[target][city] +
			distance[last][follower] -
			distance[target][follower];
		if (!accepts(delta)) return 0;
		const rest = tour.filter((other) => !segment.includes(other));
		rest.splice(rest.indexOf(target) + 1, 0, ...segment);
		tour = rest;
		place();
		return delta;
	}
}

function nearestNeighbourTour(distance) {
	const left = new Set(distance.keys());
	const tour = [];
	for (let city = 0; ; ) {
		tour.push(city);
		left.delete(city);
		if (left.size === 0) return tour;
		let next = -1;
		for (const other of left) if (next < 0 || distance[city][other] < distance[city][next]) next = other;
		city = next;
	}
}

function tourLength(tour, distance) {
	return tour.reduce((sum, city, index) => sum + distance[city][tour[(index + 1) % tour.length]], 0);
}
