import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KapsoError, sha256, toDiskNames } from '@kapso-evolve/contracts';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import {
	loadRunState,
	RunCheckpointCorruptError,
	RunCheckpointError,
	RunCheckpointIncompatibleError,
	RunCheckpointMissingError,
	saveRunState,
} from '../src/index.ts';
import { parseRunState } from '../src/load-run-state.ts';
import { encodeRunState } from '../src/run-state-file.ts';
import { runState } from './states.ts';

/** A state file with these fields and a digest that is right for them, as somebody with our code could write it. */
function sealed(changes: Record<string, unknown>): Buffer {
	const fields = Object.entries(toDiskNames({ ...runState(), ...changes })).filter(([, value]) => value !== undefined);
	const lines = fields.map(([name, value]) => `"${name}": ${JSON.stringify(value)}`).join(',\n');
	const bytes = Buffer.from(`{\n"sha256": "${'0'.repeat(64)}",\n${lines}\n}\n`);
	bytes.write(sha256(bytes), 13, 'latin1');
	return bytes;
}

describe('the run state', () => {
	it('is written in one form, whatever the order of the fields in memory', () => {
		const reversed = Object.fromEntries(Object.entries(runState()).reverse());
		expect(encodeRunState(reversed as never)).toEqual(encodeRunState(runState()));
		expect(sealed({}).length).toBe(encodeRunState(runState()).length);
	});

	it('owns the version and keeps what a strategy dumped as it is, whatever it means [M307, E19]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'run_state.json');
		const strategyState = {
			kind: 'some other strategy',
			arms: { b: [1, null], a: 'ü' },
			node_history: [{ x: { y: [] } }],
		};
		await saveRunState(path, runState({ strategyState }));
		expect((await loadRunState(path)).strategyState).toEqual(strategyState);
		await expect(saveRunState(path, { ...runState(), schemaVersion: 4 as never })).rejects.toMatchObject({
			code: 'RUN_STATE_INVALID',
		});
	});

	it('loads as it was saved, with snake_case names and mode 0600 on disk [A27, M308, M312]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'run_state.json');
		const state = runState({
			currentFeedback: 'naïve\nline',
			lastStop: { reason: 'budget_exhausted', detail: 'cost_budget' },
		});
		await saveRunState(path, state);
		expect(await loadRunState(path)).toEqual(state);
		expect(await readdir(folder.path)).toEqual(['run_state.json']);
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		const fields = JSON.parse(await readFile(path, 'utf8'));
		for (const name of ['schema_version', 'strategy_type', 'goal', 'goal_hash', 'config_fingerprint', 'status']) {
			expect(fields).toHaveProperty(name);
		}
		for (const name of ['completed_iterations', 'cumulative_cost', 'current_feedback', 'strategy_state']) {
			expect(fields).toHaveProperty(name);
		}
		expect(fields.last_stop).toEqual({ reason: 'budget_exhausted', detail: 'cost_budget' });
	});

	it('carries a digest that a shell recomputes', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'run_state.json');
		await saveRunState(path, runState());
		const recipe = `sed -E '2s/[0-9a-f]{64}/'$(printf '%064d' 0)/ "$1" | sha256sum`;
		const { stdout } = await promisify(execFile)('/bin/sh', ['-c', recipe, 'sh', path]);
		expect(stdout.slice(0, 64)).toBe(JSON.parse(await readFile(path, 'utf8')).sha256);
	});

	it('is missing, and never replaced by a fresh one, where no file is [A28, M304, M319, RN03]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, '.kapso', 'run_state.json');
		const error = await loadRunState(path).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(RunCheckpointMissingError);
		expect(error).toBeInstanceOf(RunCheckpointError);
		expect(KapsoError.isInstance(error)).toBe(true);
		expect(error).toMatchObject({
			code: 'RUN_CHECKPOINT_MISSING',
			category: 'usage',
			message: expect.stringContaining('run_state.json'),
			hint: expect.stringContaining(`kapso-evolve status ${folder.path}`),
		});
		expect(await readdir(folder.path)).toEqual([]);
	});

	it.each(['{broken', '', '[]', 'null', '3', '{}', '{"schema_version":3}', '\0\0\0\0'])(
		'is corrupt when the file holds %j [A28, M319]',
		async (content) => {
			await using folder = await temporaryFolder();
			const path = join(folder.path, 'run_state.json');
			await writeFile(path, content);
			const error = await loadRunState(path).catch((thrown: unknown) => thrown);
			expect(error).toBeInstanceOf(RunCheckpointCorruptError);
			expect(error).toMatchObject({
				message: expect.stringContaining('Could not read the checkpoint'),
				category: 'usage',
			});
		},
	);

	it('is corrupt when it is a link or a folder', async () => {
		await using folder = await temporaryFolder();
		await saveRunState(join(folder.path, 'real.json'), runState());
		await symlink('real.json', join(folder.path, 'link.json'));
		await mkdir(join(folder.path, 'folder.json'));
		for (const name of ['link.json', 'folder.json']) {
			await expect(loadRunState(join(folder.path, name))).rejects.toBeInstanceOf(RunCheckpointCorruptError);
		}
	});

	it('is corrupt after a change of any single byte, by any single bit or altogether [M319]', () => {
		const bytes = encodeRunState(runState());
		let accepted = 0;
		for (let index = 0; index < bytes.length; index++) {
			for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
				const changed = Buffer.from(bytes);
				changed[index]! ^= mask;
				try {
					parseRunState(changed, 'run_state.json');
					accepted++;
				} catch (thrown) {
					if (!(thrown instanceof RunCheckpointCorruptError)) throw thrown;
				}
			}
		}
		expect(accepted).toBe(0);
	});

	it('is corrupt when somebody has written it anew in another layout, digest and all', () => {
		const bytes = encodeRunState(runState());
		const fields = JSON.parse(bytes.toString('utf8'));
		const layouts = [
			JSON.stringify(fields),
			JSON.stringify(fields, null, 2),
			bytes.toString('utf8').replace('\n', '\t'),
		];
		for (const layout of layouts) {
			expect(() => parseRunState(Buffer.from(layout), 'run_state.json')).toThrow(
				/sha256 does not stand in its second line/,
			);
		}
	});

	it('is corrupt when cut off at any byte, or longer by one', () => {
		const bytes = encodeRunState(runState());
		for (let length = 0; length < bytes.length; length++) {
			expect(() => parseRunState(bytes.subarray(0, length), 'run_state.json')).toThrow(RunCheckpointCorruptError);
		}
		expect(() => parseRunState(Buffer.concat([bytes, Buffer.from('\n')]), 'run_state.json')).toThrow(/SHA-256/);
	});

	it.each<[string, Record<string, unknown>]>([
		['status', { status: [] }],
		['status', { status: 'finished' }],
		['completed_iterations', { completedIterations: true }],
		['completed_iterations', { completedIterations: -1 }],
		['completed_iterations', { completedIterations: 1.5 }],
		['cumulative_cost', { cumulativeCost: -0.01 }],
		['cumulative_cost', { cumulativeCost: '1' }],
		['cost_by_component.agent', { costByComponent: { agent: null } }],
		['elapsed_seconds', { elapsedSeconds: null }],
		['goal_hash', { goal: 'another goal' }],
		['strategy_type', { strategyType: '' }],
		['strategy_state', { strategyState: [] }],
		['current_feedback', { currentFeedback: 7 }],
		['last_stop.reason', { lastStop: { reason: 'tired', detail: null } }],
		['config_fingerprint', { configFingerprint: 'abc' }],
		['ledger_head', { ledgerHead: undefined }],
		['surprise', { surprise: 1 }],
		['schema_version', { schemaVersion: true }],
	])(
		'is corrupt, naming %s, when that field is not as promised though the digest is right [A29, M319]',
		(name, changes) => {
			expect(() => parseRunState(sealed(changes), 'run_state.json')).toThrow(
				expect.objectContaining({ code: 'RUN_CHECKPOINT_CORRUPT', message: expect.stringContaining(name) }),
			);
		},
	);

	it.each([0, 1, 2, 4, 1000])('is refused by its number when schema_version is %i [A48, E19]', (version) => {
		for (const bytes of [
			sealed({ schemaVersion: version }),
			Buffer.from(JSON.stringify({ schema_version: version })),
		]) {
			expect(() => parseRunState(bytes, 'run_state.json')).toThrow(
				expect.objectContaining({
					code: 'RUN_CHECKPOINT_INCOMPATIBLE',
					message: expect.stringContaining(`schema_version ${version}`),
					mismatches: [{ key: 'schema_version', recorded: String(version), requested: '3' }],
				}),
			);
		}
		expect(() => parseRunState(sealed({ schemaVersion: version }), 'x')).toThrow(RunCheckpointIncompatibleError);
	});
});

describe('saving the run state', () => {
	it('refuses a state that could not be loaded again, and leaves the old one [A38]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'run_state.json');
		await saveRunState(path, runState());
		const before = await readFile(path);
		const cyclic: Record<string, unknown> = {};
		cyclic.self = cyclic;
		for (const bad of [
			{ cumulativeCost: Number.NaN },
			{ goalHash: runState({ goal: 'x' }).goalHash },
			{ strategyState: { node_history: [{ score: Number.NaN }] } },
			{ strategyState: { at: undefined } },
			{ strategyState: { at: new Date() } },
			{ strategyState: { at: 1n } },
			{ strategyState: cyclic },
		]) {
			await expect(saveRunState(path, runState({ generation: 1, ...bad }))).rejects.toMatchObject({
				code: 'RUN_STATE_INVALID',
			});
		}
		expect(await readFile(path)).toEqual(before);
		expect(await readdir(folder.path)).toEqual(['run_state.json']);
	});

	it('never writes over a file that it cannot read: that file is evidence [RN03, RR02]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'run_state.json');
		for (const there of ['{broken', '{"schema_version":2}']) {
			await writeFile(path, there);
			await expect(saveRunState(path, runState())).rejects.toBeInstanceOf(RunCheckpointError);
			expect(await readFile(path, 'utf8')).toBe(there);
		}
	});

	it('never goes back to an earlier generation, nor over another campaign [D16]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'run_state.json');
		await saveRunState(path, runState({ generation: 5 }));
		for (const late of [runState({ generation: 4 }), runState({ generation: 6, campaignId: 'campaign-2' })]) {
			await expect(saveRunState(path, late)).rejects.toMatchObject({ code: 'RUN_STATE_STALE', category: 'locked' });
		}
		await saveRunState(path, runState({ generation: 6, status: 'completed' }));
		expect(await loadRunState(path)).toMatchObject({ generation: 6, status: 'completed' });
	});

	it('lets a failing write be heard and leaves the old state and no temporary file [A35, M320]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'gone', 'run_state.json');
		await mkdir(join(folder.path, 'gone'));
		await saveRunState(path, runState());
		const kept = join(folder.path, 'kept');
		await mkdir(kept);
		await rm(join(folder.path, 'gone'), { recursive: true });
		await expect(saveRunState(path, runState({ generation: 1 }))).rejects.toThrow();
		expect(await readdir(folder.path)).toEqual(['kept']);
	});
});
