// Run phase: calls the candidate's solve() on every instance and writes its tours. Nothing is judged here.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const iterations = 7_000;

const { solve } = await import(pathToFileURL(resolve(process.env.KAPSO_CANDIDATE_DIR, 'solve.js')).href);
const tours = {};
for (const file of readdirSync('instances').sort()) {
	const { name, cities } = JSON.parse(readFileSync(join('instances', file), 'utf8'));
	tours[name] = solve(cities, { random: mulberry32(hash(name)), iterations });
}
writeFileSync(join(process.env.KAPSO_OUTPUTS_DIR, 'tours.json'), JSON.stringify(tours));

/** FNV-1a: every instance has its own stream of random numbers, the same in every run. */
function hash(text) {
	let value = 0x811c9dc5;
	for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
	return value;
}

function mulberry32(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}
