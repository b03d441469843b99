import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLedger } from '@kapso-evolve/checkpoint';
import { sha256 } from '@kapso-evolve/contracts';
import { createRepository, git, readFiles, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { type EvolveOptions, evolve, readCampaign, resumeCampaign, verifyCampaign } from '../src/index.ts';
import { countingAgent } from './scripted-agent.ts';

const pickle = join(import.meta.dirname, '../../checkpoint/test/fixtures/generic-checkpoint.pkl');
const environment = { PATH: process.env.PATH };

/** A workspace as the Python releases left it: `main`, a branch for each candidate, and no campaign of ours. */
async function pythonWorkspace() {
	const temporary = await temporaryFolder();
	const output = join(temporary.path, 'campaign');
	await createRepository(output, { 'lines.txt': 'start\n', '.gitignore': '.kapso/\ncheckpoint.pkl*\n' });
	for (const id of [0, 1]) {
		await git(output, 'switch', '--quiet', '--create', `generic_exp_${id}`);
		await writeFiles(output, { 'lines.txt': `candidate ${id}\n` });
		await git(output, 'commit', '--quiet', '--all', '--message', `candidate ${id}`);
	}
	await git(output, 'switch', '--quiet', 'main');
	const options = (extra: Partial<EvolveOptions> = {}): EvolveOptions => ({
		goal: 'more lines',
		outputPath: output,
		agent: countingAgent(),
		workDir: join(temporary.path, 'state'),
		maxIterations: 1,
		resume: true,
		environment,
		...extra,
	});
	return {
		output,
		state: join(output, '.kapso'),
		options,
		[Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
	};
}

const pythonNode = (id: number, extra: object = {}) => ({
	...{ node_id: id, parent_node_id: id === 0 ? null : id - 1, branch_name: `generic_exp_${id}` },
	...{ parent_branch_name: id === 0 ? 'main' : `generic_exp_${id - 1}`, solution: 'plan', score: id + 0.5 },
	...{
		had_error: false,
		error_message: '',
		evaluation_valid: true,
		feedback: `feedback-${id}`,
		workspace_dir: '/gone',
	},
	...extra,
});

const pythonState = (extra: object = {}) => ({
	...{ schema_version: 2, strategy_type: 'generic', goal: 'more lines', goal_hash: sha256('more lines') },
	...{ config_fingerprint: 'x', status: 'running', completed_iterations: 2, cumulative_cost: 1.5 },
	...{
		current_feedback: 'feedback-1',
		elapsed_seconds: 90,
		cost_by_component: { agent: 1.25 },
		last_stop: 'cost_budget',
	},
	strategy_state: { node_history: [pythonNode(0), pythonNode(1)], iteration_count: 2, previous_errors: [] },
	...extra,
});

it('there is nothing to resume in a folder that is absent, plain, or a repository without a campaign [A49]', async () => {
	await using temporary = await temporaryFolder();
	await writeFiles(temporary.path, { 'plain/file.txt': 'x' });
	await createRepository(join(temporary.path, 'repository'), { 'file.txt': 'x' });
	for (const name of ['absent', 'plain', 'repository']) {
		const outputPath = join(temporary.path, name);
		const options = { goal: 'g', outputPath, agent: countingAgent(), resume: true, environment };
		await expect(evolve(options)).rejects.toMatchObject({ code: 'CAMPAIGN_MISSING', category: 'usage' });
		await expect(resumeCampaign(outputPath, { environment })).rejects.toMatchObject({ code: 'CAMPAIGN_MISSING' });
	}
	expect((await readdir(temporary.path)).sort()).toEqual(['plain', 'repository']);
});

describe('a checkpoint.pkl of an older release', () => {
	it('is imported once, with explicit trust, and the campaign goes on from it [A51, M313, M321, RC04]', async () => {
		await using python = await pythonWorkspace();
		await copyFile(pickle, join(python.output, 'checkpoint.pkl'));

		await expect(evolve(python.options())).rejects.toMatchObject({ code: 'RUN_CHECKPOINT_MISSING' });
		await expect(resumeCampaign(python.output, { environment })).rejects.toMatchObject({
			code: 'RUN_CHECKPOINT_MISSING',
		});
		expect(await readdir(python.output)).not.toContain('.kapso');

		const solution = await evolve(python.options({ allowLegacyCheckpoint: true }));
		expect(solution).toMatchObject({
			best: { nodeId: 2, branch: 'generic_exp_2', score: 10 },
			metadata: { iterations: 1, cumulativeIterations: 3, costUnknown: true, resumed: true },
		});
		expect(await readdir(python.output)).toContain('checkpoint.pkl.migrated');
		expect(await readdir(python.output)).not.toContain('checkpoint.pkl');
		expect(await readdir(python.state)).not.toContain('adopting');
		const { nodes } = await readCampaign(python.output);
		expect(nodes.map((node) => [node.nodeId, node.parentBranchName, node.score, node.iteration])).toEqual([
			[0, 'main', 0.5, 1],
			[1, 'generic_exp_0', 1, 2],
			[2, 'generic_exp_1', 10, 3],
		]);
		const { lines } = await readLedger({ path: join(python.state, 'ledger.jsonl') });
		expect(lines[0]?.data.adopted_from).toEqual({
			source: 'checkpoint.pkl',
			schema_version: null,
			sha256: sha256(await readFile(pickle)),
			renumbered: null,
		});
		expect(await verifyCampaign(python.output, { environment })).toMatchObject({
			ok: true,
			notProven: expect.arrayContaining(['adopted-history']),
		});

		// Later ones do not look at a pickle again, whatever lies there.
		await writeFile(join(python.output, 'checkpoint.pkl'), 'cposix\nsystem\n');
		expect(
			await resumeCampaign(python.output, { environment, agent: countingAgent(), maxIterations: 1 }),
		).toMatchObject({
			metadata: { cumulativeIterations: 4 },
		});
	});

	it('is not opened where a JSON state is [M313]', async () => {
		await using python = await pythonWorkspace();
		await writeFiles(python.output, { 'checkpoint.pkl': 'not even a pickle', '.kapso/run_state.json': '{' });
		await expect(evolve(python.options({ allowLegacyCheckpoint: true }))).rejects.toMatchObject({
			code: 'RUN_CHECKPOINT_CORRUPT',
		});
	});

	it('whose branches are gone is refused before anything is touched [A51, D47]', async () => {
		await using python = await pythonWorkspace();
		await copyFile(pickle, join(python.output, 'checkpoint.pkl'));
		await git(python.output, 'branch', '--quiet', '--delete', '--force', 'generic_exp_1');
		const before = await readFiles(python.output);
		await expect(evolve(python.options({ allowLegacyCheckpoint: true }))).rejects.toMatchObject({
			code: 'RUN_CHECKPOINT_CORRUPT',
			message: expect.stringContaining('missing Git branches: generic_exp_1'),
		});
		expect(await readFiles(python.output)).toEqual(before);
	});

	it('killed between any two steps of its import is finished by the next resume [M321]', async () => {
		await using python = await pythonWorkspace();
		await copyFile(pickle, join(python.output, 'checkpoint.pkl'));
		await evolve(python.options({ allowLegacyCheckpoint: true, maxIterations: 0 }));
		const whole = ['records', 'ledger.jsonl', 'run_state.json', 'experiment_history.json', 'launch.json'];
		for (const moved of [0, 2, 3, 5]) {
			// As a kill after `moved` of the moves, the renaming of the pickle not done, would have left it.
			const left = join(python.output, '..', `left ${moved}`);
			await cp(python.output, left, { recursive: true });
			await rename(join(left, 'checkpoint.pkl.migrated'), join(left, 'checkpoint.pkl'));
			await mkdir(join(left, '.kapso', 'adopting'));
			for (const name of whole.slice(moved)) {
				await rename(join(left, '.kapso', name), join(left, '.kapso', 'adopting', name)).catch((error) => {
					if (name !== 'records') throw error; // This history has no long texts.
				});
			}
			const resumed = await resumeCampaign(left, { environment, agent: countingAgent() });
			expect(resumed.metadata).toMatchObject({ cumulativeIterations: 2 });
			expect(await readdir(left)).toContain('checkpoint.pkl.migrated');
			expect(await readdir(join(left, '.kapso'))).not.toContain('adopting');
			await rm(left, { recursive: true });
		}
	});

	it('killed while its import was being built starts it again', async () => {
		await using python = await pythonWorkspace();
		await copyFile(pickle, join(python.output, 'checkpoint.pkl'));
		await writeFiles(python.state, { 'adopting/ledger.jsonl': 'half a line', 'adopting/run_state.json': '{' });
		const solution = await evolve(python.options({ allowLegacyCheckpoint: true }));
		expect(solution.metadata.cumulativeIterations).toBe(3);
	});

	it('never takes the name of a branch that the other release left without a record [M315]', async () => {
		await using python = await pythonWorkspace();
		await copyFile(pickle, join(python.output, 'checkpoint.pkl'));
		await git(python.output, 'branch', 'generic_exp_2', 'main');
		const before = await git(python.output, 'rev-parse', 'generic_exp_2');
		const solution = await evolve(python.options({ allowLegacyCheckpoint: true }));
		expect(solution.best).toMatchObject({ nodeId: 2, branch: 'generic_exp_2_a2' });
		expect(await git(python.output, 'rev-parse', 'generic_exp_2')).toBe(before);
	});
});

describe('the run_state.json of another release', () => {
	it.each([1, 2])('of schema %i goes on with --adopt, which says so in the ledger [RC03, A48, A46]', async (schema) => {
		await using python = await pythonWorkspace();
		const { elapsed_seconds: _e, cost_by_component: _c, last_stop: _l, ...older } = pythonState({ schema_version: 1 });
		const original = JSON.stringify(schema === 1 ? older : pythonState());
		await writeFiles(python.state, { 'run_state.json': original, 'experiment_history.json': '[]' });

		await expect(evolve(python.options())).rejects.toMatchObject({
			code: 'RUN_CHECKPOINT_INCOMPATIBLE',
			message: expect.stringContaining('was not migrated'),
		});
		const solution = await evolve(python.options({ adopt: true }));
		expect(solution.metadata).toMatchObject({
			iterations: 1,
			cumulativeIterations: 3,
			costUsd: 1.75,
			costUnknown: false,
		});
		if (schema === 2) expect(solution.metadata.elapsedSeconds).toBeGreaterThan(90);
		expect(await readFile(join(python.state, 'legacy', 'run_state.json'), 'utf8')).toBe(original);
		const { lines } = await readLedger({ path: join(python.state, 'ledger.jsonl') });
		expect(lines[0]?.data.adopted_from).toMatchObject({ source: 'run_state.json', schema_version: schema });
		expect(await verifyCampaign(python.output, { environment })).toMatchObject({ ok: true, problems: [] });
	});

	it.each([1, 2])('of schema %i can be looked at as it is [A48, RC03]', async (schema_version) => {
		await using python = await pythonWorkspace();
		await writeFiles(python.state, { 'run_state.json': JSON.stringify(pythonState({ schema_version })) });
		const before = await readFiles(python.output);
		expect(await readCampaign(python.output)).toMatchObject({
			legacySchema: schema_version,
			goal: 'more lines',
			best: { nodeId: 1, branch: 'generic_exp_1', score: 1.5, evaluationLevel: 'agent-reported' },
			cumulativeIterations: 2,
			costUsd: 1.5,
			ledgerHead: null,
			nodes: [{ feedback: 'feedback-0' }, { parentBranchName: 'generic_exp_0' }],
		});
		expect(await readFiles(python.output)).toEqual(before);
	});

	it('of the tree strategy keeps its candidates, and a failed one needs no branch [M311, D14]', async () => {
		await using python = await pythonWorkspace();
		const nodes = [
			pythonNode(5, { parent_node_id: null, branch_name: 'main', is_root: true }),
			pythonNode(7, { parent_node_id: 5, branch_name: 'generic_exp_0' }),
			pythonNode(8, {
				parent_node_id: 7,
				branch_name: 'never_born',
				had_error: true,
				error_message: 'boom',
				score: null,
			}),
			pythonNode(9, { parent_node_id: 7, branch_name: 'generic_exp_1' }),
		];
		const strategy_state = { nodes, node_history_ids: [7, 8, 9, 8] };
		await writeFiles(python.state, { 'run_state.json': JSON.stringify(pythonState({ strategy_state })) });
		await evolve(python.options({ adopt: true, maxIterations: 0 }));
		const { nodes: adopted } = await readCampaign(python.output);
		expect(adopted.map((node) => [node.nodeId, node.parentNodeId, node.outcome, node.errorMessage])).toEqual([
			[0, null, 'scored', null],
			[1, 0, 'agent-failed', 'boom'],
			[2, 0, 'scored', null],
		]);
	});

	it('with another goal, of a completed campaign, or of an unknown version is refused [M306, M319]', async () => {
		await using python = await pythonWorkspace();
		const refusal = async (state: object, extra: Partial<EvolveOptions> = {}) => {
			await writeFiles(python.state, { 'run_state.json': JSON.stringify(state) });
			return await evolve(python.options({ adopt: true, ...extra })).catch((error: unknown) => error);
		};
		expect(await refusal(pythonState(), { goal: 'fewer lines' })).toMatchObject({
			code: 'RUN_CHECKPOINT_INCOMPATIBLE',
			mismatches: [{ key: 'goal' }],
		});
		expect(await refusal(pythonState({ status: 'completed' }))).toMatchObject({ code: 'RUN_CHECKPOINT_COMPLETED' });
		expect(await refusal(pythonState({ schema_version: 4 }))).toMatchObject({
			code: 'RUN_CHECKPOINT_INCOMPATIBLE',
			message: expect.stringContaining('schema_version 4'),
		});
		expect(await refusal(pythonState({ cumulative_cost: 'much' }))).toMatchObject({
			code: 'RUN_CHECKPOINT_CORRUPT',
			message: expect.stringContaining('cumulative_cost'),
		});
	});
});
