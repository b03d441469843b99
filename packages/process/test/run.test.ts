import { describe, expect, it } from 'vitest';
import { run } from '../src/index.ts';
import { environment, livingWith, uniqueSeconds } from './living.ts';

const shell = (script: string, ...args: readonly string[]) => ({
	argv: ['/bin/sh', '-c', script, 'sh', ...args],
	cwd: '/',
	env: environment,
});

describe('run', () => {
	it('reports what the program said, how it ended and how long it took', async () => {
		const result = await run(shell('echo out; echo err >&2; exit 3'));

		expect(result).toEqual({
			status: 'exited',
			exitCode: 3,
			signalName: null,
			sandboxStarted: null,
			limit: null,
			stdout: 'out\n',
			stderr: 'err\n',
			stdoutBytes: 4,
			stderrBytes: 4,
			truncated: false,
			wallMs: expect.any(Number),
			cpuMs: null,
			peakMemoryBytes: null,
		});
		expect(result.wallMs).toBeGreaterThan(0);
	});

	it('names the signal of a program that died by one', async () => {
		const result = await run(shell('kill -KILL $$'));

		expect(result).toMatchObject({ status: 'exited', exitCode: null, signalName: 'SIGKILL' });
	});

	it('gives the child its environment and nothing else [T105]', async () => {
		const result = await run({ argv: ['/usr/bin/env'], cwd: '/', env: { ONLY: 'this' }, runMarker: 'run-1' });

		expect(result.stdout.trim().split('\n').sort()).toEqual(['KAPSO_RUN_ID=run-1', 'ONLY=this']);
	});

	it('passes arguments as they are, without a shell between', async () => {
		const odd = ['a b', '$HOME', '"', 'é\n', ''];

		const result = await run(shell('for a; do printf "<%s>" "$a"; done', ...odd));

		expect(result.stdout).toBe(odd.map((text) => `<${text}>`).join(''));
	});

	it('writes the given input and closes it; without one the input is empty', async () => {
		const bytes = Buffer.alloc(3_000_000, 'x');

		expect(await run({ ...shell('wc -c'), stdin: bytes })).toMatchObject({ stdout: '3000000\n' });
		expect(await run(shell('cat; echo end'))).toMatchObject({ stdout: 'end\n' });
	});

	it('does not mind a child that ends without reading its input', async () => {
		const result = await run({ ...shell('exec <&-; exit 0'), stdin: Buffer.alloc(5_000_000) });

		expect(result).toMatchObject({ status: 'exited', exitCode: 0 });
	});

	it('rejects with PROGRAM_NOT_FOUND for a program that is nowhere on the PATH of the child', async () => {
		const failing = run({ argv: ['no-such-program'], cwd: '/', env: environment });

		await expect(failing).rejects.toMatchObject({
			code: 'PROGRAM_NOT_FOUND',
			category: 'infrastructure',
			data: { program: 'no-such-program' },
		});
	});

	it.each([
		['a folder that does not exist', { argv: ['true'], cwd: '/no/such/folder' }],
		['a program that may not be executed', { argv: ['/etc/passwd'], cwd: '/' }],
		['no program at all', { argv: [], cwd: '/' }],
		['an argument with a null byte', { argv: ['true', 'a\0b'], cwd: '/' }],
	])('rejects with SPAWN_FAILED for %s', async (_what, { argv, cwd }) => {
		const failing = run({ argv, cwd, env: environment });

		await expect(failing).rejects.toMatchObject({ code: 'SPAWN_FAILED', category: 'infrastructure' });
	});

	it('drains endless output in bounded memory and keeps its head and its tail [E08, T086]', async () => {
		const before = process.memoryUsage().rss;
		let peak = before;

		const result = await run({
			...shell('echo first; head -c 1000000000 /dev/zero; echo; echo last'),
			maxOutputBytes: 1000,
			onOutput: () => {
				peak = Math.max(peak, process.memoryUsage.rss());
			},
		});

		expect(result).toMatchObject({ status: 'exited', exitCode: 0, stdoutBytes: 1_000_000_012, truncated: true });
		expect(result.stdout).toMatch(/^first\n\0+\n\[… 999999012 bytes left out …\]\n\0+\nlast\n$/);
		expect(peak - before).toBeLessThan(100 * 2 ** 20);
	});

	it('ends at the deadline although output keeps coming [E01, E02, E07]', async () => {
		const result = await run({ ...shell('yes'), deadlineMs: 300 });

		expect(result.status).toBe('timed-out');
		expect(result.wallMs).toBeGreaterThanOrEqual(299);
		expect(result.wallMs).toBeLessThan(1300);
	});

	it('lets a program that is asked to end write its last words [A184]', async () => {
		const result = await run({
			...shell('trap "echo cost: 0.25; exit 7" TERM; echo ready; while :; do sleep 0.05; done'),
			deadlineMs: 300,
		});

		expect(result).toMatchObject({ status: 'timed-out', exitCode: 7, stdout: 'ready\ncost: 0.25\n' });
	});

	it('has no deadline but the one that it is given, whatever its length [E11]', async () => {
		const free = await run(shell('sleep 0.6; echo late'));
		const short = await run({ ...shell('sleep 9'), deadlineMs: 60, graceMs: 60 });
		const longer = await run({ ...shell('sleep 9'), deadlineMs: 400, graceMs: 60 });

		expect(free).toMatchObject({ status: 'exited', stdout: 'late\n' });
		expect([short.status, longer.status]).toEqual(['timed-out', 'timed-out']);
		expect(longer.wallMs - short.wallMs).toBeGreaterThan(250);
	});

	it('ends at an abort at once, and does not even start after one', async () => {
		const controller = new AbortController();
		const seconds = uniqueSeconds();
		setTimeout(() => controller.abort(), 100);

		const result = await run({ ...shell(`sleep ${seconds}`), signal: controller.signal });

		expect(result.status).toBe('aborted');
		expect(result.wallMs).toBeLessThan(1100);
		expect(livingWith(seconds)).toEqual([]);
		expect(await run({ ...shell('exit 1'), signal: controller.signal })).toMatchObject({
			status: 'aborted',
			exitCode: null,
			wallMs: 0,
		});
	});

	it('starts the next program after one that timed out [E03]', async () => {
		await run({ ...shell('sleep 9'), deadlineMs: 50 });

		expect(await run(shell('echo next'))).toMatchObject({ status: 'exited', stdout: 'next\n' });
	});

	it('kills the tree and rejects when the observer of the output throws', async () => {
		const seconds = uniqueSeconds();
		const failing = run({
			...shell(`echo x; sleep ${seconds}`),
			onOutput: () => {
				throw new Error('observer broke');
			},
		});

		await expect(failing).rejects.toThrow('observer broke');
		expect(livingWith(seconds)).toEqual([]);
	});

	it.skipIf(process.platform !== 'linux')(
		'measures processor time and memory of the whole tree when asked',
		async () => {
			const burn = 'const x = Buffer.alloc(9e7, 1); const end = Date.now() + 400; while (Date.now() < end) x[0]++;';
			const script = `"$1" -e "$2" & "$1" -e "$2" & wait`;

			const result = await run({ ...shell(script, process.execPath, burn), limits: {} });

			expect(result).toMatchObject({ status: 'exited', exitCode: 0 });
			expect(result.cpuMs).toBeGreaterThan(200);
			expect(result.peakMemoryBytes).toBeGreaterThan(180e6);
		},
	);
});

describe.skipIf(process.platform !== 'linux')('limits', () => {
	it('kills a tree that takes too much memory [T086]', async () => {
		const script = '"$1" -e "globalThis.x = Buffer.alloc(4e8, 1); setInterval(() => {}, 1e6)" & wait';

		const result = await run({
			...shell(script, process.execPath),
			limits: { memoryBytes: 200e6 },
			deadlineMs: 20_000,
		});

		expect(result).toMatchObject({ status: 'limit-exceeded', limit: 'memory', signalName: 'SIGKILL' });
	});

	it('does not count memory twice that processes share', async () => {
		// Ten children of a fork share the parent's 60 MB.
		const fork = 'my $x = "x" x 6e7; for (1..10) { fork or do { sleep 1; exit } } wait for 1..10;';

		const result = await run({
			argv: ['perl', '-e', fork],
			cwd: '/',
			env: environment,
			limits: { memoryBytes: 300e6 },
		});

		expect(result).toMatchObject({ status: 'exited', exitCode: 0 });
	});

	it('kills a tree of too many processes [T086]', async () => {
		const seconds = uniqueSeconds();
		const script = `i=0; while [ $i -lt 40 ]; do sleep ${seconds} & i=$((i+1)); done; wait`;

		const result = await run({ ...shell(script), limits: { processes: 20 }, deadlineMs: 20_000 });

		expect(result).toMatchObject({ status: 'limit-exceeded', limit: 'processes' });
		expect(livingWith(seconds)).toEqual([]);
	});

	it('kills a tree that burns too much processor time, spread over children [T086]', async () => {
		const script = 'while :; do sh -c "i=0; while [ \\$i -lt 20000 ]; do i=\\$((i+1)); done"; done';

		const result = await run({ ...shell(script), limits: { cpuMs: 300 }, deadlineMs: 20_000 });

		expect(result).toMatchObject({ status: 'limit-exceeded', limit: 'cpu' });
	});
});
