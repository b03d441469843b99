import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readLedger } from '@kapso-evolve/checkpoint';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { readCampaign } from '../src/index.ts';
import { createScriptedWorld } from '../src/testing.ts';
import { scriptedAgent } from './scripted-agent.ts';

const program = fileURLToPath(new URL('./engine-process.ts', import.meta.url));
const rounds = process.env.KAPSO_NIGHTLY === '1' ? 200 : 5;

async function engine() {
	const child = spawn(process.execPath, ['--conditions=@kapso-evolve/source', program], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const next = async () => String((await lines.next()).value);
	expect(await next()).toBe('ready');
	return {
		child,
		next,
		resume: (folder: string, at: number, hold: number) => child.stdin.write(`resume\t${folder}\t${at}\t${hold}\n`),
		async answer() {
			for (;;) {
				const line = await next();
				if (line !== 'holding') return line;
			}
		},
		async [Symbol.asyncDispose]() {
			child.kill('SIGKILL');
			if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
		},
	};
}

async function campaign() {
	const temporary = await temporaryFolder();
	const output = join(temporary.path, 'campaign');
	const environment = { PATH: process.env.PATH };
	const world = createScriptedWorld();
	const agent = scriptedAgent(async () => ({ score: 0 }));
	const workDir = join(temporary.path, 'state');
	await world.evolve({ goal: 'one writer', outputPath: output, workDir, agent, maxIterations: 1, environment });
	return { output, world, agent, environment, [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose]() };
}

it(`of two engines started within 10 ms of each other, ${rounds} times, exactly one runs [D16]`, {
	timeout: 900_000,
}, async () => {
	await using started = await campaign();
	await using first = await engine();
	await using second = await engine();
	for (let round = 0; round < rounds; round++) {
		const at = Date.now() + 30;
		for (const one of [first, second]) one.resume(started.output, at, 150);
		const answers = await Promise.all([first.answer(), second.answer()]);
		expect(answers.map((answer) => answer.replace(/ after \d+$/, '')).sort()).toEqual([
			'locked CAMPAIGN_LOCKED',
			'ran',
		]);
	}
	const { nodes, lock } = await readCampaign(started.output);
	expect(nodes.map((node) => node.nodeId)).toEqual(Array.from({ length: rounds + 1 }, (_, id) => id));
	expect(lock).toBeNull();
});

it('an engine killed with SIGKILL is taken over in less than a second, and its attempt is repeated [D16, E22, E27]', async () => {
	await using started = await campaign();
	await using killed = await engine();
	killed.resume(started.output, 0, 60_000);
	expect(await killed.next()).toBe('holding');
	killed.child.kill('SIGKILL');
	await once(killed.child, 'exit');
	const from = performance.now();
	let openedMs = Number.POSITIVE_INFINITY;
	await started.world.resume(started.output, {
		agent: started.agent,
		environment: started.environment,
		onEvent: (event) => {
			if (event.type === 'opened') openedMs = performance.now() - from;
		},
	});
	expect(openedMs).toBeLessThan(1000);
	const { nodes } = await readCampaign(started.output);
	expect(nodes.map((node) => [node.nodeId, node.attempt])).toEqual([
		[0, 1],
		[1, 2],
	]);
	const { lines } = await readLedger({ path: join(started.output, '.kapso', 'ledger.jsonl') });
	expect(lines.filter((line) => line.type === 'intent')).toHaveLength(3);
});
