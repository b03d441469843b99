import { KapsoError } from '@kapso-evolve/contracts';
import { describe, expect, it } from 'vitest';
import {
	createFingerprint,
	fingerprintKeys,
	RunCheckpointCompletedError,
	RunCheckpointIncompatibleError,
	type RunState,
	validateResume,
} from '../src/index.ts';
import { runState, settings } from './states.ts';

const state = runState();
const run = { goal: state.goal, strategyType: 'generic', fingerprint: createFingerprint(settings) };

function refusal(recorded: RunState, requested: Parameters<typeof validateResume>[1]): RunCheckpointIncompatibleError {
	try {
		validateResume(recorded, requested);
	} catch (thrown) {
		if (thrown instanceof RunCheckpointIncompatibleError) return thrown;
		throw thrown;
	}
	throw new Error('it was not refused');
}

describe('a fingerprint', () => {
	it('is the same for the same settings in another order, and for undefined, null and nothing [D18]', () => {
		const { evaluator: _, ...less } = settings;
		const reordered = Object.fromEntries(Object.entries(less).reverse());
		expect(createFingerprint({ ...reordered, evaluator: undefined } as unknown as typeof settings)).toEqual(
			createFingerprint(settings),
		);
		expect(createFingerprint(reordered as unknown as typeof settings)).toEqual(createFingerprint(settings));
		const nested = { ...settings, models: { b: 1, a: { d: 2, c: undefined } } };
		const sorted = { ...settings, models: { a: { d: 2 }, b: 1 } };
		expect(createFingerprint(nested)).toEqual(createFingerprint(sorted));
	});

	it.each(fingerprintKeys)('changes with %s, and in that part only [D18]', (key) => {
		const before = createFingerprint(settings);
		const after = createFingerprint({ ...settings, [key]: 'another' });
		expect(after.digest).not.toBe(before.digest);
		expect(Object.keys(after.parts).filter((name) => after.parts[name] !== before.parts[name])).toEqual([key]);
	});

	it('shows short parts and digests long ones, so that a state stays small', () => {
		const { parts } = createFingerprint({ ...settings, models: 'x'.repeat(1000) });
		expect(parts.strategy_params).toBe('{"parent_policy":"best"}');
		expect(parts.models).toMatch(/^sha256:[0-9a-f]{64}$/);
	});

	it('refuses a number that JSON cannot say', () => {
		expect(() => createFingerprint({ ...settings, selection: { noise: Number.NaN } })).toThrow(TypeError);
	});
});

describe('a resume', () => {
	it('is allowed with the settings of the campaign [M305]', () => {
		expect(() => validateResume(state, run)).not.toThrow();
	});

	it('is refused for another goal [A31, M305, M319]', () => {
		const error = refusal(state, { ...run, goal: 'Something else' });
		expect(error).toMatchObject({
			code: 'RUN_CHECKPOINT_INCOMPATIBLE',
			category: 'usage',
			mismatches: [{ key: 'goal', recorded: state.goal, requested: 'Something else' }],
		});
		expect(KapsoError.isInstance(error)).toBe(true);
		expect(error.message).toContain('goal (recorded Make the heuristic faster');
		expect(error.hint).toContain('kapso-evolve resume DIR');
	});

	it('is refused for another strategy, named once [A32, M305]', () => {
		const fingerprint = createFingerprint({ ...settings, strategy_type: 'tree' });
		expect(refusal(state, { ...run, strategyType: 'tree', fingerprint }).mismatches).toEqual([
			{ key: 'strategy_type', recorded: 'generic', requested: 'tree' },
		]);
	});

	it('is refused for another fingerprint with every differing key named at once [A33, D18, M915]', () => {
		const fingerprint = createFingerprint({
			...settings,
			strategy_params: { parent_policy: 'baseline' },
			suite_digest: 'f'.repeat(64),
			data_digest: 'e'.repeat(64),
			evaluator: 'module#other',
		});
		const error = refusal(state, { ...run, goal: 'Other', fingerprint });
		expect(error.mismatches.map(({ key }) => key)).toEqual([
			'goal',
			'strategy_params',
			'suite_digest',
			'data_digest',
			'evaluator',
		]);
		expect(error.data.mismatches).toEqual(error.mismatches);
		for (const { key } of error.mismatches) expect(error.message).toContain(key);
		expect(error.message).toContain('data_digest (recorded null, requested "eeee');
	});

	it('says to put changed files back, and that settings can be asked for', () => {
		const changed = { ...settings, suite_digest: 'f'.repeat(64), data_digest: 'e'.repeat(64) };
		const recorded = {
			...state,
			fingerprintParts: createFingerprint({ ...settings, data_digest: 'd'.repeat(64) }).parts,
		};
		const files = refusal(recorded, { ...run, fingerprint: createFingerprint(changed) }).hint;
		expect(files).toContain("put them back (the campaign's copy is in DIR/.kapso/)");
		expect(files).not.toContain('kapso-evolve resume DIR');

		const both = refusal(recorded, { ...run, goal: 'Other', fingerprint: createFingerprint(changed) }).hint;
		expect(both).toContain('put them back');
		expect(both).toContain('Ask for the recorded goal: "kapso-evolve resume DIR"');

		const left = createFingerprint({ ...settings, suite_digest: null });
		expect(refusal(state, { ...run, fingerprint: left }).hint).toContain('Ask for the recorded suite_digest');
	});

	it('is refused when the recorded campaign knew a part that this version does not, or the other way round', () => {
		const { engine_schema: _, ...older } = state.fingerprintParts;
		expect(refusal({ ...state, fingerprintParts: older }, run).mismatches).toEqual([
			{ key: 'engine_schema', recorded: null, requested: '1' },
		]);
		const newer = { ...state.fingerprintParts, weather: '"fine"' };
		expect(refusal({ ...state, fingerprintParts: newer }, run).mismatches).toEqual([
			{ key: 'weather', recorded: '"fine"', requested: null },
		]);
	});

	it('is refused when only the whole fingerprint differs', () => {
		expect(refusal({ ...state, configFingerprint: 'a'.repeat(64) }, run).mismatches).toMatchObject([
			{ key: 'config_fingerprint' },
		]);
	});

	it('is refused for a completed campaign before anything else is compared [A34, M306]', () => {
		const completed = { ...state, status: 'completed' as const };
		for (const requested of [run, { ...run, goal: 'Other' }]) {
			expect(() => validateResume(completed, requested)).toThrow(RunCheckpointCompletedError);
			expect(() => validateResume(completed, requested)).toThrow(/already completed/);
		}
	});

	it('is allowed after a stop on the budget: budgets are in no fingerprint [E21]', () => {
		const stopped = runState({ lastStop: { reason: 'budget_exhausted', detail: 'cost_budget' } });
		expect(() => validateResume(stopped, run)).not.toThrow();
		expect(fingerprintKeys.filter((key) => /budget|iterations/.test(key))).toEqual([]);
	});

	it('does not print a goal of a thousand letters', () => {
		const error = refusal(runState({ goal: 'a'.repeat(1000) }), run);
		expect(error.message.length).toBeLessThan(400);
		expect(error.mismatches[0]?.recorded).toHaveLength(1000);
	});
});
