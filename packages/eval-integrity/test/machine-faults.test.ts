import { chmod, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '@kapso-evolve/process';
import { describe, expect, it } from 'vitest';
import { chooseLevel, isReproduced, suiteFiles } from '../src/index.ts';
import {
	doubling,
	hasSandbox,
	noSandbox,
	openDesk,
	sandbox,
	scoreFiles,
	scripted,
	skipReason,
	squares,
	squaring,
} from './fixtures.ts';

const command = (argv: string, more = ''): Record<string, string> => ({
	'kapso.evaluation.yaml': `version: 1\nscore: {command: ${argv}}\n${more}`,
	'score.sh': 'true',
});

describe.skipIf(!hasSandbox)(`a fault of the machine is never the candidate’s${skipReason}`, () => {
	it.each([
		[
			'a missing interpreter',
			command('[no-such-interpreter, x]'),
			'PROGRAM_MISSING',
			/no program no-such-interpreter on the pinned PATH/,
		],
		[
			'a program by a path that is not there',
			command('[/usr/bin/no-such-program]'),
			'PROGRAM_MISSING',
			/\/usr\/bin\/no-such-program/,
		],
		['a program that the sandbox does not show', command('[/etc/init.d/x]'), 'PROGRAM_MISSING', /init\.d/],
		[
			'a suite file that is not executable',
			command('[./score.sh]'),
			'PROGRAM_MISSING',
			/not an executable file of the suite folder/,
		],
		[
			'a path that leaves the suite',
			command('[../elsewhere/x]'),
			'PROGRAM_MISSING',
			/not an executable file of the suite folder/,
		],
	])('%s', async (_, files, code, error) => {
		await using desk = await openDesk();
		const suite = await desk.suite(files);

		const record = await scoreFiles(desk, { suite, candidate: {} });

		expect(record).toMatchObject({ outcome: 'infrastructure', code, score: null, phases: [] });
		expect(record.error).toMatch(error);
	});

	it('names a program that lies outside of what the sandbox shows, until the suite mounts its folder', async () => {
		await using desk = await openDesk();
		const tools = await desk.write('tools', {
			'bin/judge': {
				executable: `#!/bin/sh\nprintf '{"schema_version":1,"valid":true,"score":3}' > "$KAPSO_RESULT_PATH"`,
			},
		});
		const path = `${tools}/bin:/usr/bin:/bin`;
		const hidden = await desk.suite(command('[judge]'));
		expect(await scoreFiles(desk, { suite: hidden, candidate: {}, path })).toMatchObject({ code: 'PROGRAM_MISSING' });

		const mounted = await desk.suite(
			command('[judge]', `mounts: [{path: "${tools}", at: /opt/tools, digest: none}]\n`),
		);
		const record = await scoreFiles(desk, { suite: mounted, candidate: {}, path });

		expect(record).toMatchObject({ error: null, score: 3, notProven: expect.arrayContaining(['unhashed-mount']) });
		expect(record.phases[0]).toMatchObject({ argv: ['/opt/tools/bin/judge'], program: { path: `${tools}/bin/judge` } });
	});

	it('a mounted environment is part of the digest, links included, and never scores once it has changed [T035]', async () => {
		await using desk = await openDesk();
		const venv = await desk.write('venv', {
			'bin/judge': {
				executable: `#!/bin/sh\nprintf '{"schema_version":1,"valid":true,"score":3}' > "$KAPSO_RESULT_PATH"`,
			},
			'bin/alias': { link: 'judge' },
		});
		const files = command('[/opt/venv/bin/alias]', `mounts: [{path: "${venv}", at: /opt/venv, digest: content}]\n`);
		const suite = await desk.suite(files);
		const again = await desk.suite(files);
		expect(again.digest).toBe(suite.digest);
		expect(await scoreFiles(desk, { suite, candidate: {} })).toMatchObject({ error: null, score: 3 });
		await utimes(join(venv, 'bin/judge'), 1, 1);
		expect(await scoreFiles(desk, { suite, candidate: {} })).toMatchObject({ error: null, score: 3 });

		await desk.write('venv', { 'lib/judge.py': 'score = 100' });

		expect(await scoreFiles(desk, { suite, candidate: {} })).toMatchObject({
			outcome: 'infrastructure',
			code: 'MOUNT_CHANGED',
		});
		expect((await desk.suite(files)).digest).not.toBe(suite.digest);
	});

	it('a sandbox that disappears or breaks in the middle of a campaign', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const gone: Sandbox = { isolation: 'os', program: desk.at('bwrap'), version: '0' };
		expect(await scoreFiles(desk, { suite, candidate: squaring, sandbox: gone })).toMatchObject({
			outcome: 'infrastructure',
			code: 'PROGRAM_NOT_FOUND',
		});
		await desk.write('.', {
			bwrap: { executable: '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2\nexit 1\n' },
		});
		expect(await scoreFiles(desk, { suite, candidate: squaring, sandbox: gone })).toMatchObject({
			outcome: 'infrastructure',
			code: 'SANDBOX_FAILED',
			error: expect.stringContaining('No permissions'),
		});
	});

	it('and a candidate that talks like a broken sandbox stays the candidate’s crash', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const liar = { 'solve.js': 'console.error("bwrap: No permissions to create a new namespace"); process.exit(1);' };

		expect(await scoreFiles(desk, { suite, candidate: liar })).toMatchObject({
			outcome: 'crashed',
			code: 'RUN_CRASHED',
		});
	});

	it('a snapshot that is no longer what was captured never scores [T094, E44]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const data = await desk.data({ 'a.csv': '1' });
		await desk.write('data', { 'a.csv': '2' });
		expect(await scoreFiles(desk, { suite, data, candidate: doubling })).toMatchObject({
			outcome: 'infrastructure',
			code: 'DATA_SNAPSHOT_CHANGED',
			error: expect.stringContaining('a.csv'),
		});
		await desk.write('suite', { 'cases.json': '[2, 2, 2]' });
		expect(await scoreFiles(desk, { suite, candidate: doubling })).toMatchObject({
			code: 'SUITE_SNAPSHOT_CHANGED',
			score: null,
		});
		await expect(drain(suiteFiles(suite))).rejects.toMatchObject({ code: 'SUITE_SNAPSHOT_CHANGED' });
		await rm(suite.root, { recursive: true });
		expect(await scoreFiles(desk, { suite, candidate: doubling })).toMatchObject({
			code: 'SUITE_SNAPSHOT_CHANGED',
			score: null,
		});
	});

	it('notices an executable bit that somebody took from the snapshot', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite({ ...squares, 'tool.sh': { executable: '' } });
		await chmod(join(suite.root, 'tool.sh'), 0o644);

		expect(await scoreFiles(desk, { suite, candidate: squaring })).toMatchObject({ code: 'SUITE_SNAPSHOT_CHANGED' });
	});

	it('refuses a candidate’s folder that brings its own suite, data, state or repository [T135]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		for (const name of ['kapso_evaluation/x', 'kapso_datasets/x', '.kapso/x', '.git/HEAD']) {
			await expect(scoreFiles(desk, { suite, candidate: { ...squaring, [name]: '' } })).rejects.toMatchObject({
				code: 'CANDIDATE_FOLDER',
			});
		}
	});
});

describe('the level', () => {
	it.skipIf(!hasSandbox)('is the strongest that suite and machine allow, and says why [CONTRACTS 2]', async () => {
		await using desk = await openDesk();
		const sealed = await desk.suite(squares);
		const scoreOnly = await desk.suite(scripted({}, 'true'));
		await rm(desk.at('evaluation'), { recursive: true });
		const published = await desk.suite({ 'evaluate.py': '' });
		const choose = (suite: typeof sealed | null, machine: Sandbox = sandbox) => {
			const { level, isolation, reason } = chooseLevel({ suite, sandbox: machine, requireIsolation: false });
			expect(reason).not.toBe('');
			return [level, isolation];
		};

		expect(choose(sealed)).toEqual(['sealed', 'os']);
		expect(choose(scoreOnly)).toEqual(['suite-sealed', 'os']);
		expect(choose(sealed, noSandbox)).toEqual(['unsealed', 'none']);
		expect(choose(published)).toEqual(['published-rule', 'none']);
		expect(choose(null)).toEqual(['agent-reported', 'none']);
	});

	it('is refused where isolation is required and there would be none', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const choose = () => chooseLevel({ suite, sandbox: noSandbox, requireIsolation: true });

		expect(choose).toThrowError(/isolation is required.*unsealed/);
		expect(() => chooseLevel({ suite: null, sandbox: noSandbox, requireIsolation: true })).toThrowError(
			/agent-reported/,
		);
	});

	it('counts a second score as the same within the noise that the suite declares', () => {
		expect(isReproduced({ first: 1, again: 1.1, noise: 0.2 })).toBe(true);
		expect(isReproduced({ first: 1, again: 1.1, noise: 0 })).toBe(false);
		expect(isReproduced({ first: 1, again: 1, noise: 0 })).toBe(true);
	});
});

async function drain(items: AsyncIterable<unknown>): Promise<void> {
	for await (const _ of items);
}
