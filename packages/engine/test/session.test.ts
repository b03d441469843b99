import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLedger } from '@kapso-evolve/checkpoint';
import type { AgentRequest, CodingAgent } from '@kapso-evolve/coding-agents';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { readCampaign } from '../src/index.ts';
import { createScriptedWorld } from '../src/testing.ts';
import { scriptedAgent } from './scripted-agent.ts';

/** Keeps its sessions in its home, and dies with the engine in the middle of the first one. */
function agentWithSessions(requests: AgentRequest[], resumesSessions: boolean): CodingAgent {
	const agent = scriptedAgent(async (request, call) => {
		requests.push(request);
		if (request.sessionId === undefined) {
			await writeFile(join(request.home, 'session-7'), 'what was said so far');
			await request.onSession?.('session-7');
		} else await readFile(join(request.home, request.sessionId));
		if (call === 0) throw new Error('the engine was killed');
		return { score: 1, sessionId: 'session-7' };
	});
	return { ...agent, resumesSessions };
}

it.each([true, false])(
	'an interrupted attempt goes on with its agent’s session where it can: %s [E22, M318]',
	async (can) => {
		await using temporary = await temporaryFolder();
		const output = join(temporary.path, 'campaign');
		const workDir = join(temporary.path, 'state');
		const environment = { PATH: process.env.PATH };
		const requests: AgentRequest[] = [];
		const agent = agentWithSessions(requests, can);
		const world = createScriptedWorld();
		const start = { goal: 'go on', outputPath: output, workDir, agent, maxIterations: 1, environment };
		await expect(world.evolve(start)).rejects.toThrow('the engine was killed');
		await world.resume(output, { agent, environment });

		expect(requests.map((request) => request.sessionId)).toEqual([undefined, can ? 'session-7' : undefined]);
		expect(requests.map((request) => request.prompt.includes('You were interrupted'))).toEqual([false, can]);
		const { nodes, costUnknown } = await readCampaign(output);
		expect(nodes).toMatchObject([{ nodeId: 0, attempt: 2, sessionId: 'session-7', score: 1 }]);
		// What the first attempt had cost is not known, and that is said.
		expect(costUnknown).toBe(true);
		const { lines } = await readLedger({ path: join(output, '.kapso', 'ledger.jsonl') });
		expect(lines.filter((line) => line.type === 'agent').map((line) => [line.attempt, line.data.status])).toEqual([
			[1, 'started'],
			...(can ? [] : [[2, 'started']]),
			[2, 'reported'],
		]);
		const [state = ''] = await readdir(workDir);
		expect(await readdir(join(workDir, state, 'attempts'))).toEqual([]);
	},
);
