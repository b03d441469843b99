import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { agentsDocumentSchema } from '../src/documents/agents-document.ts';
import { runBinary } from './binary.ts';

const commands = [
	'demo',
	'evolve',
	'resume',
	'evaluate',
	'status',
	'log',
	'show',
	'verify',
	'replay',
	'doctor',
	'agents',
];

describe('The program', () => {
	it('lists the commands that it has and no others', async () => {
		await using folder = await temporaryFolder();
		const { code, stdout, stderr } = await runBinary(['--help'], { folder: folder.path });
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		const listed = stdout
			.split('Commands:')[1]!
			.split('Example:')[0]!
			.match(/^ {2}[a-z]+/gm)!
			.map((name) => name.trim());
		expect(listed).toEqual(commands);
	});

	it('explains every command with an example, on stdout', async () => {
		await using folder = await temporaryFolder();
		const helps = await Promise.all(commands.map((name) => runBinary([name, '--help'], { folder: folder.path })));
		for (const [index, { code, stdout, stderr }] of helps.entries()) {
			expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
			expect(stdout).toContain(`Usage: kapso-evolve ${commands[index]}`);
			expect(stdout).toMatch(/\nExample:\n {2}kapso-evolve /);
			for (const option of ['--json', '--quiet', '--log-level', '--no-color']) expect(stdout).toContain(option);
		}
	});

	it('prints its version', async () => {
		await using folder = await temporaryFolder();
		expect(await runBinary(['--version'], { folder: folder.path })).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
		});
	});

	it.each([
		[['evolve', '--outptu', 'x'], 2, 'Did you mean --output?'],
		[['status', 'absent'], 2, 'absent'],
		[[], 2, 'no command was given'],
	])('ends %j with exit code %d, the reason on stderr, nothing on stdout', async (args, code, reason) => {
		await using folder = await temporaryFolder();
		const ended = await runBinary(args, { folder: folder.path });
		expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(reason) });
	});

	it('names file, line and column of everything wrong with a configuration, at once', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'my config.yaml': 'budget:\n  time_buget_minutes: 3\nparallel: 0\n' });
		const args = ['evolve', '--output', 'o', '--goal', 'g', '--agent', 'gi', '--config', 'my config.yaml'];
		const { code, stdout, stderr } = await runBinary(args, { folder: folder.path });
		expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
		expect(stderr).toContain(
			'my config.yaml:2:3 unknown key "budget.time_buget_minutes"; did you mean time_budget_minutes?',
		);
		expect(stderr).toContain('my config.yaml:3:11 parallel: ');
	});

	it('colours only where colour is wanted: pipes, NO_COLOR and --no-color get none', async () => {
		await using folder = await temporaryFolder();
		const run = (args: string[], environment: Record<string, string>) =>
			runBinary(['status', 'absent', ...args], { folder: folder.path, environment });
		const control = '\u001b[';
		expect((await run([], {})).stderr).not.toContain(control);
		expect((await run([], { FORCE_COLOR: '1' })).stderr).toContain(control);
		expect((await run(['--no-color'], { FORCE_COLOR: '1' })).stderr).not.toContain(control);
		expect((await run([], { NO_COLOR: '1' })).stderr).not.toContain(control);
	});

	it('does not mind that nobody reads its output any more', async () => {
		const program = fileURLToPath(new URL('../bin/kapso-evolve.js', import.meta.url));
		for (const [args, expected] of [
			[['evolve', '--help'], 0],
			[['status', 'absent', '--json'], 2],
		] as const) {
			const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
			child.stdout.destroy();
			child.stderr.destroy();
			expect(await new Promise((resolve) => child.on('close', resolve))).toBe(expected);
		}
	});

	it('lists agents without the value of any credential', async () => {
		await using folder = await temporaryFolder();
		const environment = { ANTHROPIC_API_KEY: 'sk-very-secret', OPENAI_API_KEY: 'sk-very-secret' };
		const json = await runBinary(['agents', '--json'], { folder: folder.path, environment });
		expect(json).toMatchObject({ code: 0, stderr: '' });
		const { agents } = agentsDocumentSchema.parse(JSON.parse(json.stdout));
		expect(agents.map((agent: { name: string }) => agent.name)).toEqual([
			'gi',
			'command',
			'claude-code',
			'codex',
			'gemini',
			'opencode',
		]);
		const text = await runBinary(['agents'], { folder: folder.path, environment });
		expect(json.stdout + text.stdout).not.toContain('sk-very-secret');
	});
});
