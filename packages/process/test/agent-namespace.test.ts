import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentNamespaceArgv, openSandbox, run, sandboxArgv } from '../src/index.ts';
import { environment, livingWith, uniqueSeconds, until } from './living.ts';

const sandbox = await openSandbox({ path: environment.PATH });
const reason = sandbox.isolation === 'none' ? ` (skipped: ${sandbox.reason})` : '';

function startEngine(argv: readonly string[], descriptors: ('ignore' | number)[] = []): ChildProcess {
	const program = join(import.meta.dirname, 'fixtures', 'engine.ts');
	const options = ['--conditions=@kapso-evolve/source', '--no-warnings', program, JSON.stringify(argv)];
	return spawn(process.execPath, options, { env: environment, stdio: ['ignore', 'pipe', 'inherit', ...descriptors] });
}

describe.skipIf(reason !== '')(`an agent in its own PID namespace${reason}`, () => {
	it('leaves nothing when the engine gets a SIGKILL, not even without environment, session and parent [E12, E14]', async () => {
		const seconds = uniqueSeconds();
		const script = `(env -i setsid sh -c 'sleep ${seconds} & exit' &); trap "" TERM HUP; sleep ${seconds}; sleep ${seconds}`;
		const engine = startEngine(agentNamespaceArgv(sandbox, ['/bin/sh', '-c', script]));
		await until(() => livingWith(`sleep\0${seconds}`).length === 2);

		engine.kill('SIGKILL');

		await until(() => livingWith(seconds).length === 0);
	});

	it('leaves nothing after a normal exit either [T084]', async () => {
		const seconds = uniqueSeconds();
		const script = `env -i setsid sh -c 'sleep ${seconds} & exit' & sleep 0.2; exit 4`;

		const result = await run({
			argv: agentNamespaceArgv(sandbox, ['/bin/sh', '-c', script]),
			cwd: '/',
			env: environment,
		});

		expect(result).toMatchObject({ status: 'exited', exitCode: 4, sandboxStarted: true });
		expect(livingWith(seconds)).toEqual([]);
	});

	it('has its whole grace to write its last words at a deadline [A184, A185]', async () => {
		const seconds = uniqueSeconds();
		const script = `trap 'echo cost: 0.25; exit 7' TERM; sleep ${seconds} & echo ready; wait`;

		const result = await run({
			argv: agentNamespaceArgv(sandbox, ['/bin/sh', '-c', script]),
			cwd: '/',
			env: environment,
			deadlineMs: 500,
		});

		expect(result).toMatchObject({ status: 'timed-out', exitCode: 7, stdout: 'ready\ncost: 0.25\n' });
		expect(livingWith(seconds)).toEqual([]);
	});

	it('sees the machine as it is: files, network, working folder, but only its own processes', async () => {
		const script = 'pwd; cat /proc/sys/kernel/random/boot_id; readlink /proc/self/ns/net; ls /proc | grep -c "^[0-9]"';
		const outside = await run({ argv: ['/bin/sh', '-c', script], cwd: '/tmp', env: environment });

		const inside = await run({
			argv: agentNamespaceArgv(sandbox, ['/bin/sh', '-c', script]),
			cwd: '/tmp',
			env: environment,
		});

		const [folder, boot, network, processes] = inside.stdout.split('\n');
		expect([folder, boot, network]).toEqual(outside.stdout.split('\n').slice(0, 3));
		expect(Number(processes)).toBeLessThan(8);
	});

	it('can itself start a sandbox, as a trial evaluation does', async () => {
		const trial = sandboxArgv(sandbox, { argv: ['/bin/echo', 'scored'], cwd: '/', readOnly: [], writable: [] });
		const script = ['/bin/sh', '-c', 'exec "$@" 3>/dev/null', 'sh', ...trial];

		const result = await run({ argv: agentNamespaceArgv(sandbox, script), cwd: '/', env: environment });

		expect(result).toMatchObject({ exitCode: 0, stdout: 'scored\n' });
	});

	it('is told from a failing agent when the program is missing', async () => {
		const result = await run({ argv: agentNamespaceArgv(sandbox, ['no-such-agent']), cwd: '/', env: environment });

		expect(result).toMatchObject({ status: 'exited', exitCode: 1, sandboxStarted: false });
		expect(result.stderr).toContain('no-such-agent');
	});
});

it('leaves the command line alone where there is no sandbox', () => {
	expect(agentNamespaceArgv({ isolation: 'none', reason: 'a test' }, ['agent', '--flag'])).toEqual(['agent', '--flag']);
});

describe.skipIf(process.platform !== 'linux')('descriptors', () => {
	it('that the engine inherited from its own parent reach no child', async () => {
		const secret = openSync('/etc/hostname', 'r');
		const engine = startEngine(['/bin/ls', '-l', '/proc/self/fd'], [...Array(30).fill('ignore'), secret]);
		closeSync(secret);
		let printed = '';
		engine.stdout?.on('data', (text) => {
			printed += text;
		});
		await new Promise((resolve) => engine.on('close', resolve));

		const { stdout } = JSON.parse(printed);
		expect(stdout).toContain('33 -> /dev/null');
		expect(stdout).not.toContain('hostname');
	});
});
