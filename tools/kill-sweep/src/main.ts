// `npm run -s kill-sweep -- [--kills N] [--seed N] [--json]`
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Random, seededRandom } from '@kapso-evolve/contracts';
import { type CampaignView, readCampaign } from '@kapso-evolve/engine';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { compare } from './compare.ts';
import { createScenario, type Scenario } from './scenario.ts';
import { type Axe, start } from './start.ts';

const { values } = parseArgs({
	options: {
		kills: { type: 'string', default: '300' },
		seed: { type: 'string', default: '1' },
		json: { type: 'boolean', default: false },
	},
});
const random = seededRandom(Number(values.seed));
const report = { kills: 0, steps: 0, lost: 0, duplicated: 0, orphans: 0, mismatched: 0 };
const hitSteps = new Set<string>();
await using temporary = await temporaryFolder('kill sweep');
let rounds = 0;

/** A kill has to count for less than one that hits the set-up, so that the loop ends when nothing is hit any more. */
const most = 3 * Number(values.kills);
const measured = [await measure(1), await measure(4)];
const queue = measured.flatMap(({ lanes, steps }) => steps.map((step) => ({ lanes, axe: { step } as Axe })));
for (let round = 0; report.kills < Number(values.kills) && round < most; round++) {
	const planned = queue.shift();
	const { lanes, unkilled, elapsedMs } = measured.find((one) => one.lanes === planned?.lanes) ?? measured[round % 2]!;
	await strike({ lanes, unkilled, axe: planned?.axe ?? { afterMs: 200 + random.next() * elapsedMs }, random });
}
report.steps = hitSteps.size;
process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.lost + report.duplicated + report.orphans + report.mismatched === 0 ? 0 : 1;

/** The unkilled campaign: what it ends in, how long it takes, and which durable steps it has. */
async function measure(
	lanes: number,
): Promise<{ lanes: number; unkilled: CampaignView; elapsedMs: number; steps: string[] }> {
	const scenario = await freshScenario(lanes);
	const trace = join(scenario.folder, 'steps');
	const started = performance.now();
	const ended = await start(scenario, 'start', { trace });
	if (ended.exitCode !== 0) throw new Error(`the unkilled campaign ended with ${ended.exitCode}: ${ended.stderr}`);
	const elapsedMs = performance.now() - started;
	const all = (await readFile(trace, 'utf8')).trim().split('\n');
	const steps = [...new Set(all.map((step) => step.split('#')[0]!))].map((kind) =>
		pick(all.filter((step) => step.startsWith(`${kind}#`))),
	);
	return { lanes, unkilled: await readCampaign(scenario.output), elapsedMs, steps };
}

function pick(steps: readonly string[]): string {
	return steps[Math.floor(random.next() * steps.length)]!;
}

/** Kills a campaign once, and in every third round its resume as well; then lets it end and counts the damage. */
async function strike(options: { lanes: number; unkilled: CampaignView; axe: Axe; random: Random }): Promise<void> {
	const scenario = await freshScenario(options.lanes);
	const first = await start(scenario, 'start', options.axe);
	if (!first.killed) return;
	count(options.axe);
	let before = await readCampaign(scenario.output).catch(() => null);
	if (before === null) {
		// Killed while it was being set up: nothing was paid, and the same command starts it.
		await finish(scenario, 'start', options);
		return;
	}
	if (rounds % 3 === 0) {
		const axe: Axe = { afterMs: 200 + options.random.next() * 2000 };
		if ((await start(scenario, 'resume', axe)).killed) count(axe);
		before = await readCampaign(scenario.output);
	}
	await finish(scenario, 'resume', { ...options, before });
}

async function finish(
	scenario: Scenario,
	how: 'start' | 'resume',
	options: { unkilled: CampaignView; axe: Axe; before?: CampaignView },
): Promise<void> {
	const ended = await start(scenario, how);
	const describe = (what: string) =>
		process.stderr.write(`${scenario.name}, ${JSON.stringify(options.axe)}: ${what}\n`);
	if (ended.exitCode !== 0) {
		report.mismatched += 1;
		describe(`the resume ended with ${ended.exitCode}: ${ended.stderr}`);
		return;
	}
	const damage = await compare({ scenario, unkilled: options.unkilled, before: options.before ?? null });
	for (const key of ['lost', 'duplicated', 'orphans', 'mismatched'] as const) report[key] += damage[key];
	for (const note of damage.notes) describe(note);
	if (damage.lost > 0) describe(`lost ${damage.lost}`);
}

function count(axe: Axe): void {
	report.kills += 1;
	if (axe.step !== undefined) hitSteps.add(axe.step.split('#')[0]!);
	if (!values.json && report.kills % 10 === 0) process.stderr.write(`${report.kills} kills\n`);
}

async function freshScenario(lanes: number): Promise<Scenario> {
	rounds += 1;
	const folder = join(temporary.path, String(rounds));
	await mkdir(folder);
	return await createScenario(folder, lanes);
}
