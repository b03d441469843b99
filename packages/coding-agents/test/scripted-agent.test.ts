import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFiles, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { type AgentOutcome, createCommandAgent } from '../src/index.ts';
import { type ScriptedAgent, type ScriptedAttempt, writeScriptedAgent } from '../src/testing.ts';
import { noSandbox, path } from './fixture.ts';

it('does what was scripted for each attempt, records it, and fails loudly on one more', async () => {
	await using root = await temporaryFolder();
	const agent = await scripted(root.path, [
		{ files: { 'a/b.txt': 'new', 'old.txt': null }, report: { summary: 'first', cost_usd: 0.5 } },
		{
			report: null,
			says: '<kapso_report nonce="NONCE">{"schema_version":1,"nonce":"NONCE","summary":"told"}</kapso_report>',
		},
		{ report: null },
		{ exitCode: 9 },
	]);
	await writeFiles(join(root.path, 'clone'), { 'old.txt': 'old' });

	expect(await attempt(root.path, agent)).toMatchObject({ status: 'reported', costUsd: 0.5 });
	expect(await readFiles(join(root.path, 'clone'))).toEqual({ 'a/b.txt': '644 new' });
	expect(await attempt(root.path, agent, { run: 1 })).toMatchObject({
		status: 'reported',
		report: { summary: 'told' },
	});
	expect(await attempt(root.path, agent, { run: 2 })).toMatchObject({ status: 'no-report' });
	expect(await attempt(root.path, agent, { run: 3 })).toMatchObject({ status: 'failed', exitCode: 9 });
	expect(await attempt(root.path, agent, { run: 4 })).toMatchObject({
		status: 'failed',
		exitCode: 70,
		reason: 'exit 70: scripted agent: attempt 5 was not scripted, only 4',
	});

	const calls = await agent.calls();
	expect(calls).toHaveLength(5);
	expect(calls[0]).toMatchObject({
		prompt: 'do it',
		folder: join(root.path, 'clone'),
		environment: { KAPSO_NONCE: 'n', HOME: root.path },
		tries: [],
	});
});

it('hangs until it is ended, its report written before', async () => {
	await using root = await temporaryFolder();
	const agent = await scripted(root.path, [{ hangs: true, report: { cost_usd: 1 } }]);
	expect(await attempt(root.path, agent, { deadlineMs: 700 })).toMatchObject({ status: 'timed-out', costUsd: 1 });
});

it('tries its work the way the engine says, and keeps the answers', async () => {
	await using root = await temporaryFolder();
	await writeFiles(root.path, {
		'try.mjs': 'console.log("log"); console.log(JSON.stringify({ score: 1, remaining: 2 }));',
	});
	const agent = await scripted(root.path, [{ tries: 2 }, { tries: 1 }]);
	await attempt(root.path, agent, { tryCommand: [process.execPath, join(root.path, 'try.mjs')], run: 1 });
	const answer = { exitCode: 0, answer: { score: 1, remaining: 2 } };
	expect((await agent.calls())[0]?.tries).toEqual([answer, answer]);
	expect(await attempt(root.path, agent)).toMatchObject({ exitCode: 70 });
});

it('gives attempts that run at a time different scripts', async () => {
	await using root = await temporaryFolder();
	const agent = await scripted(
		root.path,
		[1, 2, 3, 4].map((cost) => ({ report: { cost_usd: cost } })),
	);
	const outcomes = await Promise.all([1, 2, 3, 4].map((run) => attempt(root.path, agent, { run })));
	expect(outcomes.map((outcome) => outcome.costUsd).sort()).toEqual([1, 2, 3, 4]);
});

async function scripted(root: string, attempts: readonly ScriptedAttempt[]): Promise<ScriptedAgent> {
	await mkdir(join(root, 'clone'));
	return writeScriptedAgent({ folder: join(root, 'agent'), nodeProgram: process.execPath, attempts });
}

function attempt(
	root: string,
	agent: ScriptedAgent,
	options: { deadlineMs?: number; tryCommand?: readonly string[]; run?: number } = {},
): Promise<AgentOutcome> {
	const { deadlineMs = 20_000, tryCommand = null, run = 0 } = options;
	return createCommandAgent({ command: agent.command }).run({
		prompt: 'do it',
		folder: join(root, 'clone'),
		home: root,
		temporaryFolder: root,
		path,
		environment: {},
		runId: `scripted-${run}-${root}`,
		nonce: 'n',
		reportPath: join(root, `report-${run}.json`),
		tryCommand,
		deadlineMs,
		sandbox: noSandbox,
	});
}
