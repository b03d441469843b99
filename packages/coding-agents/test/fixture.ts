import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Sandbox } from '@kapso-evolve/process';
import { writeFiles } from '@kapso-evolve/testkit';
import { type AgentOutcome, type AgentRequest, createCommandAgent } from '../src/index.ts';

/** Where programs of the tests are found: this Node and the system's own. */
export const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
export const noSandbox: Sandbox = { isolation: 'none', reason: 'not wanted by this test' };

export interface Attempt extends Partial<AgentRequest> {
	/** Body of the agent's script; `report(fields)` and `talk(fields)` report with the nonce of the attempt. */
	readonly script: string;
	readonly folder: string;
	readonly arguments?: readonly string[];
	readonly agentEnvironment?: Record<string, string>;
}

/** One attempt of an agent that is a Node script, in fresh folders below `folder`. */
export async function attempt(options: Attempt): Promise<AgentOutcome> {
	const { script, folder: root, arguments: extra = [], agentEnvironment = {}, ...request } = options;
	await writeFiles(root, { 'agent.mjs': prelude + script });
	for (const name of ['clone', 'home', 'tmp', 'reports']) await mkdir(join(root, name), { recursive: true });
	const command = ['node', join(root, 'agent.mjs'), ...extra];
	return createCommandAgent({ command, environment: agentEnvironment }).run({
		prompt: 'improve it',
		folder: join(root, 'clone'),
		home: join(root, 'home'),
		temporaryFolder: join(root, 'tmp'),
		path,
		environment: {},
		runId: `run-${root}`,
		nonce: 'nonce-1',
		reportPath: join(root, 'reports', 'report.json'),
		tryCommand: null,
		deadlineMs: 20_000,
		sandbox: noSandbox,
		...request,
	});
}

const prelude = `
import { existsSync, readFileSync, writeFileSync, symlinkSync, mkdirSync } from 'node:fs';
import { spawn } from 'node:child_process';
const { KAPSO_NONCE: nonce, KAPSO_REPORT_PATH: reportPath } = process.env;
const report = (fields) => writeFileSync(reportPath, JSON.stringify({ schema_version: 1, nonce, summary: 's', ...fields }));
const talk = (fields, tag = nonce) => console.log('<kapso_report nonce="' + tag + '">' +
	JSON.stringify({ schema_version: 1, nonce, summary: 'told', ...fields }) + '</kapso_report>');
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
`;
