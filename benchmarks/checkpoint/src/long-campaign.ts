import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentOutcome, CodingAgent } from '@kapso-evolve/coding-agents';
import { createScriptedWorld } from '@kapso-evolve/engine/testing';
import { median, round } from './measure.ts';

export interface CampaignRow {
	readonly candidates: number;
	readonly first_thousand_ms: number;
	readonly last_thousand_ms: number;
	/** Last thousand over first thousand. */
	readonly growth: number;
	/** Bytes that one candidate adds to the ledger: median of the first and of the last thousand. */
	readonly first_bytes: number;
	readonly last_bytes: number;
}

/** A campaign without Git and sandbox: what is left is the engine's own work, the ledger and the files. */
export async function measureCampaign(folder: string, candidates: number): Promise<CampaignRow> {
	const output = join(folder, 'campaign');
	const ledger = join(output, '.kapso', 'ledger.jsonl');
	const part = Math.min(1000, Math.floor(candidates / 2));
	const marks: number[] = [];
	const sizes: number[] = [];
	const agent: CodingAgent = {
		name: 'scripted',
		version: '1',
		async run({ nonce }): Promise<AgentOutcome> {
			marks.push(performance.now());
			sizes.push((await stat(ledger)).size);
			const score = marks.length % 1000;
			const report = { schema_version: 1 as const, nonce, summary: 'one more', score };
			const known = { exitCode: 0, reason: null, costUsd: 0.01, sessionId: null, model: null };
			return { status: 'reported', report, ...known, transcript: '', durationMs: 1 };
		},
	};
	await createScriptedWorld().evolve({
		goal: 'count',
		outputPath: output,
		workDir: join(folder, 'state'),
		agent,
		maxIterations: candidates,
		environment: { PATH: process.env.PATH },
	});
	const spent = (from: number) => marks[from + part - 1]! - marks[from]!;
	const added = (from: number) =>
		median(Array.from({ length: part - 1 }, (_, index) => sizes[from + index + 1]! - sizes[from + index]!));
	const last = candidates - part;
	return {
		candidates,
		first_thousand_ms: round(spent(0)),
		last_thousand_ms: round(spent(last)),
		growth: round(spent(last) / spent(0)),
		first_bytes: added(0),
		last_bytes: added(last),
	};
}
