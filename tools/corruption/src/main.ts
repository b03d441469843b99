import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '@kapso-evolve/contracts';
import { evolve, readCampaign } from '@kapso-evolve/engine';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { tryBytes } from './bytes.ts';
import { campaignOptions } from './campaign.ts';
import { damagesFor } from './damages.ts';
import { judge } from './judge.ts';

const { values } = parseArgs({
	options: {
		json: { type: 'boolean', default: false },
		/** Every which case is tried: 1 is all of them. */
		every: { type: 'string', default: '1' },
		seed: { type: 'string', default: '1' },
	},
});
const random = seededRandom(Number(values.seed));
const report = { schema_version: 1, cases: 0, crashes: 0, fresh_starts: 0, unexplained: 0 };
await using temporary = await temporaryFolder('corruption');
const options = await campaignOptions(temporary.path);
await evolve(options);
const before = (await readCampaign(options.outputPath)).nodes;
const original = join(temporary.path, 'original');
await rename(options.outputPath, original);

const files = kindsOf(await filesUnder(join(original, '.kapso')));
const cases = [
	...files.flatMap((file, index) =>
		damagesFor(random).map((damage) => ({ file, damage, other: files[(index + 1) % files.length]! })),
	),
	...['lock', 'adopting', 'legacy', 'suite', 'records', 'data'].flatMap((file) =>
		damagesFor(random)
			.filter(({ name }) => ['gone', 'a folder', 'a link to nowhere', 'a pipe', 'another file'].includes(name))
			.map((damage) => ({ file, damage, other: 'launch.json' })),
	),
];
for (const [index, { file, damage, other }] of cases.entries()) {
	if (index % Number(values.every) !== 0) continue;
	await cp(original, options.outputPath, { recursive: true });
	const path = join(options.outputPath, '.kapso', file);
	if (damage.name === 'another file') await rm(path, { recursive: true, force: true });
	await damage.apply(path, join(options.outputPath, '.kapso', other));
	const verdict = await judge(options, before);
	report.cases += 1;
	for (const [key, found] of [
		['crashes', verdict.crashes],
		['fresh_starts', verdict.freshStarts],
		['unexplained', verdict.unexplained],
	] as const) {
		if (found.length > 0) report[key] += 1;
		for (const what of found) process.stderr.write(`${file} ${damage.name}: ${key}: ${what}\n`);
	}
	await rm(options.outputPath, { recursive: true, force: true });
}
const scratch = join(temporary.path, 'scratch');
await mkdir(scratch);
const bytes = await tryBytes({ state: join(original, '.kapso'), scratch });
const whole = {
	...report,
	flips: bytes.flips,
	flips_missed: bytes.flipsMissed,
	cuts: bytes.cuts,
	cuts_missed: bytes.cutsMissed,
};
process.stdout.write(values.json ? `${JSON.stringify(whole)}\n` : `${JSON.stringify(whole, null, 2)}\n`);
const wrong = report.crashes + report.fresh_starts + report.unexplained + bytes.flipsMissed + bytes.cutsMissed;
process.exitCode = wrong === 0 ? 0 : 1;

async function filesUnder(folder: string): Promise<string[]> {
	const names = await readdir(folder, { recursive: true });
	const found: string[] = [];
	for (const name of names.sort())
		if ((await stat(join(folder, name))).isFile()) found.push(relative(folder, join(folder, name)));
	return found;
}

/** Of files that differ in their digest only, one. */
function kindsOf(names: readonly string[]): string[] {
	const kinds = new Map(names.map((name) => [name.replace(/\d+\/\d+\//, 'N/A/').replace(/-[0-9a-f]{64}$/, ''), name]));
	return [...kinds.values()];
}
