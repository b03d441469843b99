// Makes the instances of both suites from a seed, with the best tour length that a long search finds.
// Run once; what it wrote is committed, and only the committed files are used.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bestKnownLength } from './best-known.ts';

type City = readonly [x: number, y: number];

const here = import.meta.dirname;
writeSuite({ folder: 'evaluation', prefix: 'train', seed: 20_240_601, count: 16 });
writeSuite({ folder: 'hidden', prefix: 'hidden', seed: 77_000_123, count: 32 });

function writeSuite(suite: { folder: string; prefix: string; seed: number; count: number }): void {
	const random = mulberry32(suite.seed);
	const instances = join(here, suite.folder, 'instances');
	rmSync(instances, { recursive: true, force: true });
	mkdirSync(instances, { recursive: true });
	const references: Record<string, number> = {};
	for (let index = 1; index <= suite.count; index += 1) {
		const name = `${suite.prefix}-${String(index).padStart(2, '0')}`;
		const size = 40 + Math.floor(random() * 21);
		const cities = index % 2 === 0 ? clustered(size, random) : uniform(size, random);
		writeFileSync(join(instances, `${name}.json`), instanceText(name, cities));
		references[name] = bestKnownLength(cities, random);
		console.log(name, size, references[name]);
	}
	writeFileSync(join(here, suite.folder, 'reference.json'), `${JSON.stringify(references, null, 2)}\n`);
}

/** One city a line. */
function instanceText(name: string, cities: readonly City[]): string {
	const lines = cities.map(([x, y]) => `    [${x}, ${y}]`).join(',\n');
	return `{\n  "name": "${name}",\n  "cities": [\n${lines}\n  ]\n}\n`;
}

function uniform(size: number, random: () => number): City[] {
	return Array.from({ length: size }, () => [Math.floor(random() * 1000), Math.floor(random() * 1000)] as const);
}

/** Five towns with their suburbs. */
function clustered(size: number, random: () => number): City[] {
	const towns = uniform(5, random);
	return Array.from({ length: size }, () => {
		const [x, y] = towns[Math.floor(random() * towns.length)]!;
		const spread = () => (random() + random() + random() - 1.5) * 160;
		const inside = (value: number) => Math.min(999, Math.max(0, Math.round(value)));
		return [inside(x + spread()), inside(y + spread())] as const;
	});
}

function mulberry32(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}
