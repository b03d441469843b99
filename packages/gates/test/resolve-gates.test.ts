import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { defineGate, type GatePolicy, gateRegistry, type ResolveGatesOptions, resolveGates } from '../src/index.ts';

const nothing: ResolveGatesOptions = {
	requested: [],
	policy: 'skip',
	environment: { PATH: '/programs' },
	findProgram: async () => null,
};

describe('registry', () => {
	it('says what each gate needs, an external command among its commands [A119, M701, M702]', () => {
		expect(gateRegistry.research).toMatchObject({ command: null, requiredEnv: ['OPENAI_API_KEY'] });
		expect(gateRegistry.experiment_history?.requiredEnv).toEqual(['EXPERIMENT_HISTORY_PATH']);
		expect(gateRegistry.leeroopedia).toMatchObject({
			command: 'leeroopedia-mcp',
			requiredEnv: ['LEEROOPEDIA_API_KEY'],
			requiredCommands: ['leeroopedia-mcp'],
		});
		expect(gateRegistry.repo_memory).toMatchObject({ requiredEnv: [], requiredCommands: [] });
	});

	it('folds the older envKeys into requiredEnv, each name once [A120]', () => {
		expect(defineGate({ tools: ['t'], requiredEnv: ['A'], envKeys: ['A', 'B'] })).toEqual({
			tools: ['t'],
			command: null,
			requiredEnv: ['A', 'B'],
			requiredCommands: [],
			requiredPaths: [],
		});
	});
});

describe('resolveGates', () => {
	it('offers only the tools of available gates and says why the others are left out [A122, A127, M703, M707, M709, M713]', async () => {
		const resolution = await resolveGates({
			...nothing,
			requested: [' research ', 'repo_memory', 'leeroopedia', 'research'],
			policy: 'warn',
		});
		expect(resolution.enabled).toEqual(['repo_memory']);
		expect(resolution.tools.map(({ tool }) => tool)).toEqual(gateRegistry.repo_memory?.tools);
		expect(resolution.diagnostics).toEqual([
			{
				gate: 'research',
				enabled: false,
				reason: 'OPENAI_API_KEY is not set',
				missingEnv: ['OPENAI_API_KEY'],
				missingPaths: [],
				missingCommands: [],
			},
			{
				gate: 'repo_memory',
				enabled: true,
				reason: 'available',
				missingEnv: [],
				missingPaths: [],
				missingCommands: [],
			},
			{
				gate: 'leeroopedia',
				enabled: false,
				reason: 'LEEROOPEDIA_API_KEY is not set; the program leeroopedia-mcp was not found',
				missingEnv: ['LEEROOPEDIA_API_KEY'],
				missingPaths: [],
				missingCommands: ['leeroopedia-mcp'],
			},
		]);
		expect(resolution.warnings).toEqual([
			'Gate research is left out: OPENAI_API_KEY is not set',
			'Gate leeroopedia is left out: LEEROOPEDIA_API_KEY is not set; the program leeroopedia-mcp was not found',
		]);
	});

	it('skips in silence and warns aloud, with the same gates left out [M704, M710]', async () => {
		const skipped = await resolveGates({ ...nothing, requested: ['research'], policy: 'skip' });
		const warned = await resolveGates({ ...nothing, requested: ['research'], policy: 'warn' });
		expect(skipped.warnings).toEqual([]);
		expect({ ...warned, warnings: [] }).toEqual(skipped);
	});

	it('refuses once for every gate under error, with every variable and program [A123, M704]', async () => {
		const refusal = resolveGates({
			...nothing,
			requested: ['research', 'leeroopedia', 'repo_memory'],
			policy: 'error',
		});
		await expect(refusal).rejects.toMatchObject({
			code: 'GATES_UNAVAILABLE',
			category: 'infrastructure',
			message: expect.stringMatching(/research.*OPENAI_API_KEY.*leeroopedia.*LEEROOPEDIA_API_KEY.*leeroopedia-mcp/),
		});
	});

	it('finds programs on the PATH of the given environment, not on its own [M706]', async () => {
		const asked: [string, string][] = [];
		const resolution = await resolveGates({
			...nothing,
			requested: ['leeroopedia'],
			environment: { PATH: '/programs', LEEROOPEDIA_API_KEY: 'k' },
			findProgram: async (name, path) => {
				asked.push([name, path]);
				return `/programs/${name}`;
			},
		});
		expect(resolution.enabled).toEqual(['leeroopedia']);
		expect(asked).toEqual([['leeroopedia-mcp', '/programs']]);
	});

	it.each(['', '   ', '\t\n'])('takes the blank value %j for a missing one [D38]', async (value) => {
		const resolution = await resolveGates({
			...nothing,
			requested: ['research'],
			environment: { OPENAI_API_KEY: value },
		});
		expect(resolution.enabled).toEqual([]);
	});

	it('takes a knowledge index that does not exist for a missing one [D38]', async () => {
		await using folder = await temporaryFolder();
		const KG_INDEX_PATH = join(folder.path, 'kg.index');
		const request = { ...nothing, requested: ['kg', 'idea'], environment: { KG_INDEX_PATH } };
		expect((await resolveGates(request)).diagnostics[0]).toMatchObject({
			enabled: false,
			reason: 'the path in KG_INDEX_PATH does not exist',
			missingPaths: ['KG_INDEX_PATH'],
		});
		await writeFiles(folder.path, { 'kg.index': '{}' });
		expect((await resolveGates(request)).enabled).toEqual(['kg', 'idea']);
	});

	it('never tells a value, only names [A122, M709]', async () => {
		const secret = 'sk-very-secret';
		const environment = { OPENAI_API_KEY: secret, KG_INDEX_PATH: `/nowhere/${secret}`, LEEROOPEDIA_API_KEY: secret };
		const requested = ['research', 'kg', 'leeroopedia'];
		const told = await resolveGates({ ...nothing, requested, environment, policy: 'warn' });
		const refused = await resolveGates({ ...nothing, requested, environment, policy: 'error' }).catch((error) => error);
		expect(JSON.stringify([told, refused.message, refused.data, refused.hint])).not.toContain(secret);
	});

	it.each(['skip', 'warn', 'error'] as const)(
		'refuses unknown gates under %s, all of them by name [A125, M705, M711]',
		async (policy) => {
			await expect(resolveGates({ ...nothing, requested: ['reserch', 'magic'], policy })).rejects.toMatchObject({
				code: 'GATE_UNKNOWN',
				category: 'usage',
				message: 'There is no gate "reserch" (did you mean research?), "magic".',
			});
		},
	);

	it.each(['ignore', '', 'WARN_AND_CONTINUE', 'Warn', undefined])(
		'refuses the policy %j even when nothing is requested [A124, M711]',
		async (policy) => {
			await expect(resolveGates({ ...nothing, policy: policy as GatePolicy })).rejects.toMatchObject({
				code: 'GATE_POLICY',
				category: 'usage',
			});
		},
	);

	it('refuses a bare text in place of a list, and names that only objects have [A125]', async () => {
		await expect(resolveGates({ ...nothing, requested: 'kg' as never })).rejects.toMatchObject({ code: 'GATE_LIST' });
		await expect(resolveGates({ ...nothing, requested: ['toString'] })).rejects.toMatchObject({ code: 'GATE_UNKNOWN' });
		await expect(resolveGates({ ...nothing, requested: [''] })).rejects.toMatchObject({ code: 'GATE_UNKNOWN' });
	});

	it('offers nothing and fails nothing when nothing is requested', async () => {
		expect(await resolveGates({ ...nothing, policy: 'error' })).toEqual({
			enabled: [],
			tools: [],
			diagnostics: [],
			warnings: [],
		});
	});
});
