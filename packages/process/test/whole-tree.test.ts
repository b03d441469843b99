import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { killMarked, run } from '../src/index.ts';
import { environment, isLiving, livingWith, uniqueSeconds, until } from './living.ts';

/** Each row is a way to outlive the program; the sleeper is found again by its unique number of seconds. */
const escapes: readonly { how: string; script: (sleeper: string) => string; isMarked: boolean }[] = [
	{ how: 'a child in the background', script: (sleeper) => `${sleeper} &`, isMarked: false },
	{ how: 'a child in the background with all streams closed', script: (s) => `${s} <&- >&- 2>&- &`, isMarked: false },
	{
		how: 'a child that ignores SIGTERM and SIGHUP',
		script: (s) => `(trap "" TERM HUP; ${s}; ${s}) &`,
		isMarked: false,
	},
	{
		how: 'a group of its own without its environment',
		script: (s) => `env -i perl -e 'setpgrp 0, 0; exec @ARGV' ${s} <&- >&- 2>&- &`,
		isMarked: true,
	},
	{ how: 'a session of its own', script: (sleeper) => `setsid ${sleeper} &`, isMarked: true },
	{ how: 'a double fork into a session of its own', script: (s) => `(setsid sh -c '${s} & exit' &)`, isMarked: true },
	{ how: 'all streams closed', script: (s) => `setsid ${s} <&- >&- 2>&- &`, isMarked: true },
	{ how: 'being stopped', script: (s) => `setsid sh -c 'kill -STOP $$; ${s}' &`, isMarked: true },
];

describe.skipIf(process.platform !== 'linux')('the whole tree', () => {
	it.each(escapes)('is gone after a normal exit: $how [E04, E12, E14]', async ({ script, isMarked }) => {
		const seconds = uniqueSeconds();
		const result = await run({
			argv: ['/bin/sh', '-c', `${script(`sleep ${seconds}`)}\nsleep 0.1; echo done`],
			cwd: '/',
			env: environment,
			...(isMarked ? { runMarker: randomUUID() } : {}),
		});

		expect(result).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'done\n' });
		expect(livingWith(seconds)).toEqual([]);
	});

	it.each(escapes)('is gone after a deadline: $how [A185, T084, E12]', async ({ script }) => {
		const seconds = uniqueSeconds();
		const startedAt = performance.now();
		const result = await run({
			argv: ['/bin/sh', '-c', `${script(`sleep ${seconds}`)}\nsleep ${seconds}`],
			cwd: '/',
			env: environment,
			runMarker: randomUUID(),
			deadlineMs: 300,
			graceMs: 200,
		});

		expect(result.status).toBe('timed-out');
		expect(performance.now() - startedAt).toBeLessThan(1300);
		expect(livingWith(seconds)).toEqual([]);
	});

	it('is killed when it ignores being asked, within a second after the grace [A183, E01]', async () => {
		const seconds = uniqueSeconds();
		const result = await run({
			argv: ['/bin/sh', '-c', `trap "" TERM; while :; do sleep ${seconds}; done`],
			cwd: '/',
			env: environment,
			deadlineMs: 200,
			graceMs: 200,
		});

		expect(result).toMatchObject({ status: 'timed-out', signalName: 'SIGKILL' });
		expect(result.wallMs).toBeGreaterThanOrEqual(399);
		expect(result.wallMs).toBeLessThan(1400);
		expect(livingWith(seconds)).toEqual([]);
	});

	it('wakes a stopped program so that it can hear that it shall end', async () => {
		const result = await run({
			argv: ['/bin/sh', '-c', 'trap "echo bye; exit 7" TERM; kill -STOP $$'],
			cwd: '/',
			env: environment,
			deadlineMs: 200,
		});

		expect(result).toMatchObject({ status: 'timed-out', exitCode: 7, stdout: 'bye\n' });
	});

	it('does not keep the caller waiting when someone holds the pipe open [E03, E08]', async () => {
		const result = await run({
			argv: ['/bin/sh', '-c', 'setsid sleep 7 & sleep 0.1; head -c 200000 /dev/zero'],
			cwd: '/',
			env: environment,
		});

		// Without a marker the escapee is not found, but neither are we held nor is a byte lost.
		expect(result).toMatchObject({ status: 'exited', stdoutBytes: 200_000 });
		expect(result.wallMs).toBeLessThan(1000);
	});

	it('loses a descendant that left session and environment only if its parent died before anyone looked', async () => {
		const seconds = uniqueSeconds();
		const result = await run({
			argv: ['/bin/sh', '-c', `env -i setsid sleep ${seconds} & sleep 0.3; echo done`],
			cwd: '/',
			env: environment,
			limits: {}, // looks every 100 ms; whoever was seen once stays known
		});

		expect(result).toMatchObject({ status: 'exited', stdout: 'done\n' });
		expect(livingWith(seconds)).toEqual([]);
	});
});

describe.skipIf(process.platform !== 'linux')('killMarked', () => {
	it('ends what an earlier run left, its scrubbed children included, and nothing else [E12, E14]', async () => {
		const marker = randomUUID();
		const [mine, other, alike] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()];
		const leave = (seconds: string, id: string) =>
			spawn('/bin/sh', ['-c', `env -i setsid sleep ${seconds} & sleep ${seconds} & wait`], {
				env: { ...environment, KAPSO_RUN_ID: id },
				detached: true,
				stdio: 'ignore',
			});
		leave(mine, marker);
		const stranger = leave(other, `${marker}-2`);
		const namesake = spawn('sleep', [alike], { env: { NOT_KAPSO_RUN_ID: marker }, stdio: 'ignore' });
		await until(() => livingWith(`sleep\0${mine}`).length === 2 && livingWith(`sleep\0${other}`).length === 2);

		const killed = await killMarked(marker);

		expect(killed).toBe(3);
		expect(livingWith(mine)).toEqual([]);
		expect([stranger, namesake].map(({ pid }) => isLiving(pid ?? 0))).toEqual([true, true]);
		namesake.kill('SIGKILL');
		expect(await killMarked(`${marker}-2`)).toBe(3);
		expect(livingWith(other)).toEqual([]);
		expect(await killMarked(marker)).toBe(0);
	});
});
