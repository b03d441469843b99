import { join } from 'node:path';
import { readLedger } from '@kapso-evolve/checkpoint';
import { seededRandom } from '@kapso-evolve/contracts';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { readCampaign } from '../src/index.ts';
import { createScriptedWorld } from '../src/testing.ts';
import { scriptedAgent } from './scripted-agent.ts';

const candidates = process.env.KAPSO_NIGHTLY === '1' ? 300 : 24;

const nightlyMs = 900_000;

/**
 * A campaign whose machine breaks again and again: agents that throw, clocks that throw in the middle of a ledger
 * append. Each time it is resumed, until it has all of its candidates.
 */
async function campaignWithCrashes(parallel: number, seed: number) {
	await using temporary = await temporaryFolder();
	const output = join(temporary.path, 'campaign');
	const random = seededRandom(seed);
	const world = createScriptedWorld();
	let crashes = 0;
	const crash = (chance: number) => {
		if (random.next() >= chance) return;
		crashes += 1;
		throw new Error('injected');
	};
	const clock = {
		now: () => {
			crash(0.008);
			return new Date('2030-01-01T00:00:00.000Z');
		},
		monotonicMs: () => performance.now(),
	};
	// What a candidate is depends on its id alone, whichever lane and attempt makes it.
	const agent = scriptedAgent(async ({ folder }) => {
		crash(0.08);
		const [, id = ''] = /generic_exp_(\d+)/.exec(folder) ?? [];
		return Number(id) % 5 === 4 ? { status: 'failed', reason: 'scripted' } : { score: Number(id) % 7 };
	});
	const common = { agent, clock, logger: silent, environment: { PATH: process.env.PATH } };
	const start = { goal: 'lanes', outputPath: output, workDir: join(temporary.path, 'state') };
	const maxIterations = Math.ceil(candidates / parallel);
	const attempt = async (work: () => Promise<unknown>) =>
		await work().then(
			() => true,
			() => false,
		);
	const begin = () => world.evolve({ ...common, ...start, parentPolicy: 'baseline', parallel, maxIterations });
	let done = false;
	for (let tries = 0; !done && tries < 500; tries++) {
		const exists = await readCampaign(output).catch(() => null);
		done = await attempt(exists === null ? begin : () => world.resume(output, common));
	}
	const { nodes } = await readCampaign(output);
	const { lines } = await readLedger({ path: join(output, '.kapso', 'ledger.jsonl') });
	const recorded = lines.filter((line) => line.type === 'recorded').map((line) => line.node_id);
	return { nodes, recorded, crashes };
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

it(`one, two and eight lanes make the same ${candidates} candidates, whatever dies in between [E08, E16, E23]`, {
	timeout: nightlyMs,
}, async () => {
	const [one, ...others] = [
		await campaignWithCrashes(1, 11),
		await campaignWithCrashes(2, 12),
		await campaignWithCrashes(8, 13),
	];
	const essence = ({ nodes }: typeof one) =>
		nodes.slice(0, candidates).map(({ nodeId, score, outcome, parentBranchName }) => ({
			...{ nodeId, score, outcome, parentBranchName },
		}));
	for (const campaign of [one, ...others]) {
		expect(campaign.crashes).toBeGreaterThan(0);
		// No id lost, none twice, every record in the order of the ids.
		expect(campaign.recorded).toEqual(campaign.nodes.map((_, id) => id));
		expect(campaign.nodes.map((node) => node.nodeId)).toEqual(campaign.recorded);
		expect(campaign.nodes.length).toBeGreaterThanOrEqual(candidates);
		expect(essence(campaign)).toEqual(essence(one));
	}
});
