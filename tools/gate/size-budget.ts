import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package as installed alone, with everything that comes with it. */
export interface Size {
	readonly packages: number;
	readonly kilobytes: number;
}

const path = join(import.meta.dirname, 'size-budget.json');
/** Own code may grow by this much without a decision; a dependency more is always one. */
const slackKilobytes = 256;

export async function readBudget(): Promise<Record<string, Size>> {
	return JSON.parse(await readFile(path, 'utf8')) as Record<string, Size>;
}

export async function writeBudget(sizes: Readonly<Record<string, Size>>): Promise<void> {
	const sorted = Object.fromEntries(Object.entries(sizes).sort(([a], [b]) => (a < b ? -1 : 1)));
	const lines = Object.entries(sorted).map(
		([name, { packages, kilobytes }]) =>
			`  ${JSON.stringify(name)}: { "packages": ${packages}, "kilobytes": ${kilobytes} }`,
	);
	await writeFile(path, `{\n${lines.join(',\n')}\n}\n`);
}

/** What grew beyond its budget, in words. Smaller is fine. */
export function compareWithBudget(
	sizes: Readonly<Record<string, Size>>,
	budget: Readonly<Record<string, Size>>,
): readonly string[] {
	return Object.entries(sizes).flatMap(([name, size]) => {
		const allowed = budget[name];
		if (!allowed) return [`${name} has no budget: run pack-check with --update and commit the decision`];
		const problems: string[] = [];
		if (size.packages > allowed.packages)
			problems.push(`${name} brings ${size.packages} packages, its budget is ${allowed.packages}`);
		if (size.kilobytes > allowed.kilobytes + slackKilobytes)
			problems.push(`${name} takes ${size.kilobytes} kB, its budget is ${allowed.kilobytes} and ${slackKilobytes} kB`);
		return problems;
	});
}
