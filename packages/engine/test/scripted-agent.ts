import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentOutcome, AgentRequest, CodingAgent } from '@kapso-evolve/coding-agents';

/** An agent in this process: it adds a line to a file and reports a score, so a campaign costs Git and nothing else. */
export function scriptedAgent(
	act: (request: AgentRequest, call: number) => Promise<Partial<AgentOutcome> & { readonly score?: number | null }>,
): CodingAgent {
	let calls = 0;
	return {
		name: 'scripted',
		version: '1',
		async run(request) {
			const { score = null, ...outcome } = await act(request, calls++);
			return {
				status: 'reported',
				report: { schema_version: 1, nonce: request.nonce, summary: 'one more line', score },
				exitCode: 0,
				reason: null,
				costUsd: 0.25,
				sessionId: null,
				model: null,
				transcript: '',
				durationMs: 1,
				...outcome,
			};
		},
	};
}

/** Each candidate adds its line and reports how many candidates this agent has made. */
export const countingAgent = (): CodingAgent =>
	scriptedAgent(async ({ folder }, call) => {
		await appendFile(join(folder, 'lines.txt'), `line ${call}\n`);
		return { score: call + 10 };
	});
