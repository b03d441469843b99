// Score phase: checks every tour strictly and measures it. No candidate code runs here.
//
// score       = sum of the reference lengths / sum of the tours' lengths (1 = as short as the best known, higher is better)
// case_scores = the same quotient for each instance, in the order of reference.json
// Lengths are integers: each edge is its Euclidean length rounded to the nearest whole number (TSPLIB's EUC_2D).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const result = judge();
writeFileSync(process.env.KAPSO_RESULT_PATH, JSON.stringify(result));

function judge() {
	let tours;
	try {
		tours = JSON.parse(readFileSync(join(process.env.KAPSO_OUTPUTS_DIR, 'tours.json'), 'utf8'));
	} catch (error) {
		return refuse(`tours.json cannot be read: ${error.message}`);
	}
	if (tours === null || typeof tours !== 'object' || Array.isArray(tours)) return refuse('tours.json is not an object');

	const references = JSON.parse(readFileSync('reference.json', 'utf8'));
	const unknown = Object.keys(tours).filter((name) => !Object.hasOwn(references, name));
	if (unknown.length > 0) return refuse(`tours for unknown instances: ${unknown.slice(0, 5).join(', ')}`);

	const cases = [];
	for (const [name, reference] of Object.entries(references)) {
		const { cities } = JSON.parse(readFileSync(join('instances', `${name}.json`), 'utf8'));
		const fault = Object.hasOwn(tours, name) ? faultOf(tours[name], cities.length) : 'there is no tour';
		if (fault) return refuse(`${name}: ${fault}`);
		cases.push({ name, reference, length: lengthOf(tours[name], cities) });
	}

	const total = (key) => cases.reduce((sum, entry) => sum + entry[key], 0);
	const worst = cases.toSorted((a, b) => b.length / b.reference - a.length / a.reference).slice(0, 3);
	return {
		schema_version: 1,
		valid: true,
		score: total('reference') / total('length'),
		metrics: { mean_length: total('length') / cases.length },
		case_scores: cases.map(({ reference, length }) => reference / length),
		cases: cases.length,
		feedback: `Mean tour length ${(total('length') / cases.length).toFixed(1)}, best known ${(total('reference') / cases.length).toFixed(1)}. Longest against the best known: ${worst.map(({ name, reference, length }) => `${name} +${((length / reference - 1) * 100).toFixed(1)} %`).join(', ')}.`,
	};
}

function refuse(reason) {
	return { schema_version: 1, valid: false, reason: reason.slice(0, 500) };
}

/** What is wrong with a tour, or null: it must name every city exactly once. */
function faultOf(tour, size) {
	if (!Array.isArray(tour)) return 'the tour is not a list';
	if (tour.length !== size) return `the tour has ${tour.length} entries for ${size} cities`;
	const seen = new Set();
	for (const city of tour) {
		if (!Number.isInteger(city) || city < 0 || city >= size) return `${JSON.stringify(city)} is not a city`;
		if (seen.has(city)) return `city ${city} is visited twice`;
		seen.add(city);
	}
	return null;
}

function lengthOf(tour, cities) {
	return tour.reduce((sum, city, index) => {
		const [x, y] = cities[city];
		const [u, v] = cities[tour[(index + 1) % tour.length]];
		return sum + Math.round(Math.sqrt((x - u) ** 2 + (y - v) ** 2));
	}, 0);
}
