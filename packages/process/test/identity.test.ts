import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { currentProcess, findProgram, isAlive } from '../src/index.ts';
import { environment, until } from './living.ts';

const isLinux = process.platform === 'linux';

it('tells a living process from a dead one', () => {
	expect(isAlive(currentProcess())).toBe('alive');
	expect(isAlive({ ...currentProcess(), pid: 2 ** 22 + 1 })).toBe('dead');
});

it.skipIf(!isLinux)('is not fooled by a pid that was given to another process', () => {
	const { startTime } = currentProcess();
	const earlier = startTime.replace(/^\d+/, (ticks) => `${Number(ticks) - 1}`);

	expect(isAlive({ ...currentProcess(), startTime: earlier })).toBe('dead');
});

it.skipIf(!isLinux)('counts whoever lived before the machine was restarted as dead', () => {
	expect(isAlive({ ...currentProcess(), bootId: 'another' })).toBe('dead');
});

// The child ends after the shell has become a sleep, which never collects it.
it.skipIf(!isLinux)('counts a zombie as dead', async () => {
	const parent = spawn('/bin/sh', ['-c', 'sh -c "exec sleep 0.4" & echo $!; exec sleep 9']);
	try {
		const pid = await new Promise<number>((resolve) => parent.stdout.on('data', (text) => resolve(Number(text))));
		await until(() => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z '));
		const ticks = readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')[21];
		const startTime = currentProcess().startTime.replace(/^\d+/, `${ticks}`);

		expect(isAlive({ ...currentProcess(), pid, startTime })).toBe('dead');
	} finally {
		parent.kill('SIGKILL');
	}
});

it('does not judge what it cannot see: another host, another PID namespace', () => {
	expect(isAlive({ ...currentProcess(), host: 'elsewhere' })).toBe('unknown');
	if (isLinux) {
		const startTime = currentProcess().startTime.replace(/@\d+$/, '@1');
		expect(isAlive({ ...currentProcess(), startTime })).toBe('unknown');
	}
});

it('finds a program on PATH by its real path and passes over what is no program', async () => {
	await using folder = await temporaryFolder();
	for (const name of ['a', 'b', 'c']) await mkdir(join(folder.path, name));
	const program = join(folder.path, 'c', 'tool-1.2');
	await writeFile(program, '#!/bin/sh\n');
	await chmod(program, 0o755);
	await mkdir(join(folder.path, 'a', 'tool')); // a folder of that name
	await writeFile(join(folder.path, 'b', 'tool'), 'not executable', { mode: 0o644 });
	await symlink('tool-1.2', join(folder.path, 'c', 'tool'));
	const path = ['relative', '', ...['a', 'b', 'c'].map((name) => join(folder.path, name))].join(':');

	expect(await findProgram('tool', path)).toBe(program);
	expect(await findProgram(join(folder.path, 'c', 'tool'), '')).toBe(program);
	expect(await findProgram('nothing', path)).toBeNull();
	expect(await findProgram('', path)).toBeNull();
	expect(await findProgram('c/tool', folder.path)).toBeNull();
	expect(await findProgram('sh', environment.PATH)).toBe(await realpath('/bin/sh'));
});
