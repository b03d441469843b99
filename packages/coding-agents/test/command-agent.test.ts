import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSandbox } from '@kapso-evolve/process';
import { readFiles, temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { createCommandAgent } from '../src/index.ts';
import { attempt, path } from './fixture.ts';

const sandbox = await openSandbox({ path });

describe('a command agent', () => {
	it('works in its clone and its report comes back whole [A182]', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({
			folder: root.path,
			script: `
				writeFileSync('solution.txt', 'better');
				console.log('thinking'); console.error('warning');
				report({ summary: 'made it better', score: 0.5, cost_usd: 0.25, session_id: 's-1', model: 'm-1', unknown: 1 });`,
		});
		expect(outcome).toEqual({
			status: 'reported',
			report: {
				schema_version: 1,
				nonce: 'nonce-1',
				summary: 'made it better',
				score: 0.5,
				cost_usd: 0.25,
				session_id: 's-1',
				model: 'm-1',
			},
			exitCode: 0,
			reason: null,
			costUsd: 0.25,
			sessionId: 's-1',
			model: 'm-1',
			transcript: expect.stringMatching(/thinking[\s\S]*warning|warning[\s\S]*thinking/),
			durationMs: expect.any(Number),
		});
		expect(await readFiles(join(root.path, 'clone'))).toEqual({ 'solution.txt': '644 better' });
	});

	it('gets its prompt on stdin, whole, and never in its arguments [A191]', async () => {
		await using root = await temporaryFolder();
		const prompt = `secret goal 🎯 ${'x'.repeat(300_000)}`;
		const outcome = await attempt({
			folder: root.path,
			prompt,
			arguments: ['--flag', 'two words'],
			script: `
				const own = readFileSync('/proc/self/cmdline', 'utf8');
				const prompt = readFileSync(0, 'utf8');
				report({ usage: { prompt, argv: process.argv.slice(2), leaked: own.includes('secret goal') } });`,
		});
		expect(outcome.report?.usage).toEqual({ prompt, argv: ['--flag', 'two words'], leaked: false });
	});

	it('is no failure when it never reads its prompt', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({ folder: root.path, prompt: 'x'.repeat(2_000_000), script: 'report({})' });
		expect(outcome.status).toBe('reported');
	});

	it('has an environment by allow-list: what is given, the engine’s variables, and nothing inherited', async () => {
		await using root = await temporaryFolder();
		process.env.KAPSO_TEST_LEAK = 'must not be seen';
		try {
			const outcome = await attempt({
				folder: root.path,
				agentEnvironment: { API_KEY: 'of the agent', BOTH: 'agent', KAPSO_TRY: '["forged"]', HOME: '/root' },
				environment: { EXTRA: 'of the request', BOTH: 'request', KAPSO_NONCE: 'forged' },
				script: 'report({ usage: { ...process.env, cwd: process.cwd() } })',
			});
			expect(outcome.report?.usage).toEqual({
				cwd: join(root.path, 'clone'),
				PATH: path,
				HOME: join(root.path, 'home'),
				TMPDIR: join(root.path, 'tmp'),
				LANG: 'C.UTF-8',
				API_KEY: 'of the agent',
				EXTRA: 'of the request',
				BOTH: 'request',
				KAPSO_RUN_ID: `run-${root.path}`,
				KAPSO_NONCE: 'nonce-1',
				KAPSO_REPORT_PATH: join(root.path, 'reports', 'report.json'),
			});
		} finally {
			delete process.env.KAPSO_TEST_LEAK;
		}
	});

	it('is told how to try its work only when there is a way', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({
			folder: root.path,
			tryCommand: ['node', '/opt/try it.mjs', '"quoted"'],
			script: 'report({ usage: { try: JSON.parse(process.env.KAPSO_TRY) } })',
		});
		expect(outcome.report?.usage).toEqual({ try: ['node', '/opt/try it.mjs', '"quoted"'] });
	});

	it('has failed with another exit than 0 even with a report, and its cost still counts [A181]', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({
			folder: root.path,
			script: `report({ score: 1, cost_usd: 1.5 }); console.error('first\\nout of credit'); process.exitCode = 3;`,
		});
		expect(outcome).toMatchObject({ status: 'failed', exitCode: 3, reason: 'exit 3: out of credit', costUsd: 1.5 });
	});

	it('has failed when a signal ended it', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({ folder: root.path, script: `report({}); process.kill(process.pid, 'SIGKILL');` });
		expect(outcome).toMatchObject({ status: 'failed', exitCode: null, reason: 'ended by SIGKILL' });
	});

	it('is without a report when it left none, and its cost is not known rather than zero', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({ folder: root.path, script: `console.log('all done, score 1.0')` });
		expect(outcome).toMatchObject({
			status: 'no-report',
			report: null,
			exitCode: 0,
			reason: 'the agent left no report',
			costUsd: null,
		});
	});

	it('is ended at its deadline, and a report that it had finished still tells the cost [A183, A190]', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({
			folder: root.path,
			deadlineMs: 700,
			script: 'report({ cost_usd: 2 }); setInterval(() => {}, 1000);',
		});
		expect(outcome).toMatchObject({ status: 'timed-out', reason: 'the deadline of 0.7 s passed', costUsd: 2 });
		expect(outcome.durationMs).toBeGreaterThanOrEqual(690);
	});

	it('may still report its cost between the warning and the end [A184]', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({
			folder: root.path,
			deadlineMs: 700,
			script: `process.on('SIGTERM', () => { report({ cost_usd: 3 }); process.exit(0); }); setInterval(() => {}, 1000);`,
		});
		expect(outcome).toMatchObject({ status: 'timed-out', costUsd: 3 });
	});

	it.each([
		['detached from its group and session', `{ detached: true, stdio: 'ignore' }`],
		['holding its output open', `{ stdio: ['ignore', 'inherit', 'inherit'] }`],
	])('takes a grandchild with it that is %s [A185, E08, E12]', async (_, options) => {
		await using root = await temporaryFolder();
		const ticks = join(root.path, 'ticks');
		const outcome = await attempt({
			folder: root.path,
			script: `
				const ticks = ${JSON.stringify(ticks)};
				spawn('sh', ['-c', 'while :; do echo tick >> "$0"; sleep 0.05; done', ticks], ${options}).unref();
				while (!existsSync(ticks)) await pause(20);
				report({});
				process.exit(0);`,
		});
		expect(outcome.status).toBe('reported');
		expect(outcome.durationMs).toBeLessThan(10_000);
		const before = await readFile(ticks, 'utf8');
		await sleep(200);
		expect(await readFile(ticks, 'utf8')).toBe(before);
	});

	it('ends when its caller is interrupted', async () => {
		await using root = await temporaryFolder();
		const stop = new AbortController();
		const outcome = await attempt({
			folder: root.path,
			signal: stop.signal,
			onActivity: () => stop.abort(),
			script: `report({ cost_usd: 1 }); console.log('working'); setInterval(() => {}, 1000);`,
		});
		expect(outcome).toMatchObject({ status: 'aborted', reason: 'the attempt was interrupted', costUsd: 1 });
	});

	it('may print without end: the last MiB is kept, from a whole line on, and a report in it is found [E08]', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({
			folder: root.path,
			script: `
				for (let line = 0; line < 30000; line++) console.log('line ' + line + ' ' + 'é'.repeat(50));
				talk({ cost_usd: 4 });`,
		});
		expect(Buffer.byteLength(outcome.transcript)).toBeLessThanOrEqual(1024 * 1024);
		expect(outcome.transcript).toMatch(/^line \d+ é{50}\n/);
		expect(outcome.transcript).toContain('line 29999');
		expect(outcome).toMatchObject({ status: 'reported', costUsd: 4 });
	});

	it('tells its progress, and an observer that throws costs nothing [E09]', async () => {
		await using root = await temporaryFolder();
		const heard: string[] = [];
		const outcome = await attempt({
			folder: root.path,
			script: `console.log('step one'); report({});`,
			onActivity(text) {
				heard.push(text);
				throw new Error('an observer’s own fault');
			},
		});
		expect(heard.join('')).toContain('step one');
		expect(outcome.status).toBe('reported');
	});

	it.each(['no-such-agent-program', '/no/such/agent'])('is not started when %s is missing [E31]', async (program) => {
		await using root = await temporaryFolder();
		const refusal = createCommandAgent({ command: [program, '--flag'] }).run({
			prompt: '',
			folder: root.path,
			home: root.path,
			temporaryFolder: root.path,
			path,
			environment: {},
			runId: 'r',
			nonce: 'n',
			reportPath: join(root.path, 'report'),
			tryCommand: null,
			deadlineMs: 1000,
			sandbox,
		});
		await expect(refusal).rejects.toMatchObject({
			code: 'PROGRAM_NOT_FOUND',
			category: 'infrastructure',
			data: { program },
		});
	});

	it.each([[[]], [['']], [['./agent.sh']], [['scripts/agent.sh']]])(
		'is refused as %j: a relative program would be the candidate’s own',
		(command) => {
			expect(() => createCommandAgent({ command })).toThrow(
				expect.objectContaining({ code: 'AGENT_COMMAND', category: 'usage' }),
			);
		},
	);

	it('has a version that tells two commands apart', () => {
		const version = (...command: string[]) => createCommandAgent({ command }).version;
		expect(version('a', 'b')).toBe(version('a', 'b'));
		expect(version('a', 'b')).not.toBe(version('a b'));
	});
});

describe.skipIf(sandbox.isolation === 'none')('a command agent in a namespace (skipped: no sandbox here)', () => {
	it('sees the machine, writes its clone and its report, and keeps its exit code', async () => {
		await using root = await temporaryFolder();
		const outcome = await attempt({
			folder: root.path,
			sandbox,
			script: `writeFileSync('made.txt', 'x'); report({ usage: { pid: process.pid } }); process.exit(7);`,
		});
		expect(outcome).toMatchObject({ status: 'failed', exitCode: 7 });
		expect(Number(outcome.report?.usage?.pid)).toBeLessThan(20);
		expect(existsSync(join(root.path, 'clone', 'made.txt'))).toBe(true);
	});

	it('leaves nothing behind, not even what took off its run marker and its session [A185, E12]', async () => {
		await using root = await temporaryFolder();
		const name = `61.${process.pid}${Math.floor(performance.now())}`;
		const outcome = await attempt({
			folder: root.path,
			sandbox,
			script: `
				spawn('setsid', ['env', '-i', '/bin/sleep', '${name}'], { detached: true, stdio: 'ignore' }).unref();
				await pause(200);
				report({});
				process.exit(0);`,
		});
		expect(outcome.status).toBe('reported');
		expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`sleep ${name}`);
	});
});
