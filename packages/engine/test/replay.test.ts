import { join } from 'node:path';
import { readLedger } from '@kapso-evolve/checkpoint';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { type EvolveOptions, replayCampaign, replayFolder } from '../src/index.ts';
import { createScriptedWorld } from '../src/testing.ts';
import { scriptedAgent } from './scripted-agent.ts';

async function campaign(extra: Partial<EvolveOptions> = {}) {
	const temporary = await temporaryFolder();
	const output = join(temporary.path, 'campaign');
	const scores = [1, 3, null, 2, 3, 4];
	await createScriptedWorld().evolve({
		goal: 'replayed',
		outputPath: output,
		workDir: join(temporary.path, 'state'),
		agent: scriptedAgent(async (_, call) => ({ score: scores[call % scores.length]! })),
		maxIterations: 6,
		environment: { PATH: process.env.PATH },
		...extra,
	});
	return { output, [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose]() };
}

describe('a finished campaign that is replayed', () => {
	it.each(['best', 'baseline'] as const)(
		'with its own policy "%s" makes the same choices [E23]',
		async (parentPolicy) => {
			await using finished = await campaign({ parentPolicy });
			expect(await replayFolder(finished.output)).toEqual({
				parentPolicy,
				recordedPolicy: parentPolicy,
				decisions: 6,
				divergence: null,
			});
		},
	);

	it('with parallel lanes knows what each lane knew', async () => {
		await using finished = await campaign({ parallel: 3, maxIterations: 3 });
		expect(await replayFolder(finished.output)).toMatchObject({ decisions: 9, divergence: null });
	});

	it('with another policy says where it would have gone elsewhere, and why', async () => {
		await using finished = await campaign({ parentPolicy: 'best' });
		expect(await replayFolder(finished.output, { parentPolicy: 'baseline' })).toMatchObject({
			parentPolicy: 'baseline',
			recordedPolicy: 'best',
			decisions: 2,
			divergence: {
				nodeId: 1,
				iteration: 2,
				recorded: { branch: 'generic_exp_0', nodeId: 0 },
				replayed: { branch: 'main', nodeId: null, reason: expect.stringContaining('baseline') },
			},
		});
	});

	it('finds a parent that its policy would not have chosen', async () => {
		await using finished = await campaign();
		const { lines } = await readLedger({ path: join(finished.output, '.kapso', 'ledger.jsonl') });
		const forged = lines.map((line) =>
			line.type === 'intent' && line.node_id === 3
				? { ...line, data: { ...line.data, parent_branch: 'generic_exp_0' } }
				: line,
		);
		const rules = { parentPolicy: 'best', selectionMetric: null, selectionDirection: null } as const;
		const mainCommit = String(lines[0]?.data.main_commit);
		expect(replayCampaign(forged, { settings: rules, objective: 'maximize', mainCommit }).divergence).toMatchObject({
			nodeId: 3,
			replayed: { branch: 'generic_exp_1' },
		});
	});
});
