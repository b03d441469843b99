import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CodingAgent } from '@kapso-evolve/coding-agents';
import type { EvolveOptions } from '@kapso-evolve/engine';
import { createRepository, writeFiles } from '@kapso-evolve/testkit';

/** Adds a line and says how many candidates it has made. It may be asked again after a resume. */
export function lineAgent(): CodingAgent {
	let calls = 0;
	return {
		name: 'scripted',
		version: '1',
		async run({ folder, nonce }) {
			calls += 1;
			await appendFile(join(folder, 'lines.txt'), `line ${calls}\n`);
			const report = { schema_version: 1 as const, nonce, summary: 'one more line', score: calls };
			const known = { exitCode: 0, reason: null, costUsd: 0.5, sessionId: null, model: null };
			return { status: 'reported', report, ...known, transcript: 'a line\n', durationMs: 1 };
		},
	};
}

/** A campaign of two candidates with every kind of file: a suite that the agent runs, data, records. */
export async function campaignOptions(folder: string): Promise<EvolveOptions> {
	await createRepository(join(folder, 'seed'), { 'lines.txt': 'start\n' });
	await writeFiles(folder, { 'suite/score.sh': 'wc -l lines.txt\n', 'data/cases.csv': '1,2\n' });
	return {
		goal: 'more lines',
		outputPath: join(folder, 'campaign'),
		workDir: join(folder, 'state'),
		initialRepo: join(folder, 'seed'),
		evalDir: join(folder, 'suite'),
		dataDir: join(folder, 'data'),
		agent: lineAgent(),
		maxIterations: 2,
		environment: { PATH: process.env.PATH },
	};
}
