import type { LedgerEntry, LedgerLine, SearchNode } from '@kapso-evolve/contracts';
import { describe, expect, it } from 'vitest';
import { isImprovement } from '../src/solution-of.ts';
import { applyLine, completedIterations, emptyState, foldLedger, totalCost } from '../src/state.ts';

const line = (entry: Partial<LedgerEntry> & Pick<LedgerEntry, 'type'>, seq = 0): LedgerLine => ({
	v: 1,
	seq,
	prev: '0'.repeat(64),
	time: '2030-01-01T00:00:00.000Z',
	type: entry.type,
	slice: 1,
	node_id: entry.nodeId ?? null,
	attempt: entry.attempt ?? null,
	data: (entry.data ?? {}) as LedgerLine['data'],
	sha256: '0'.repeat(64),
});
const intent = (attempt: number): LedgerLine =>
	line({
		type: 'intent',
		nodeId: 0,
		attempt,
		data: {
			iteration: 1,
			parent_branch: 'main',
			parent_commit: 'a'.repeat(40),
			parent_node_id: null,
			parent_reason: 'baseline',
			branch: `generic_exp_0${attempt > 1 ? `_a${attempt}` : ''}`,
			run_id: 'r',
			nonce: 'n',
		},
	});
const agent = (attempt: number): LedgerLine =>
	line({ type: 'agent', nodeId: 0, attempt, data: { status: 'reported' } });
const cost = (attempt: number, usd: number | null): LedgerLine =>
	line({ type: 'cost', nodeId: 0, attempt, data: { component: 'agent', usd } });

describe('the fold over the ledger', () => {
	it('keeps the money of a lost attempt and starts the next one with no step done [A160, E58]', () => {
		const state = foldLedger([intent(1), cost(1, 0.5), intent(2), cost(2, 0.25), agent(2)]);
		expect(totalCost(state)).toBe(0.75);
		expect(state.flights[0]).toMatchObject({
			nodeId: 0,
			attempt: 2,
			branch: 'generic_exp_0_a2',
			paid: true,
			steps: { agent: { status: 'reported' } },
		});
	});

	it('says that a cost is not known rather than adding nothing', () => {
		expect(foldLedger([intent(1), cost(1, null)])).toMatchObject({
			costUnknown: true,
			costByComponent: {},
			flights: [{ paid: true }],
		});
	});

	it('ignores a step line of an attempt that is no longer in flight', () => {
		expect(foldLedger([intent(1), intent(2), agent(1)]).flights[0]?.steps).toEqual({});
	});

	it('starts an abandoned attempt over', () => {
		const abandoned = line({ type: 'repaired', nodeId: 0, attempt: 1, data: { repairs: [], abandoned: true } });
		expect(foldLedger([intent(1), agent(1), abandoned]).flights[0]?.steps).toEqual({});
	});

	it('keeps a slice open after an interruption or a machine fault, and closes it otherwise [E24, A45]', () => {
		const slice = line({ type: 'slice', data: { target: 4 } });
		const stopped = (reason: string) => line({ type: 'stopped', data: { reason, detail: null, elapsed_ms: 7 } });
		expect(foldLedger([slice, stopped('interrupted')])).toMatchObject({
			sliceOpen: true,
			sliceTarget: 4,
			elapsedMs: 7,
		});
		expect(foldLedger([slice, stopped('infrastructure')]).sliceOpen).toBe(true);
		expect(foldLedger([slice, stopped('budget_exhausted')])).toMatchObject({ sliceOpen: false, completed: false });
		expect(foldLedger([slice, stopped('goal_achieved')])).toMatchObject({ sliceOpen: false, completed: true });
	});

	it('changes nothing in what it was given', () => {
		const frozen = Object.freeze({ ...emptyState });
		expect(completedIterations(applyLine(frozen, intent(1)))).toBe(0);
		expect(frozen.flights).toEqual([]);
	});
});

describe('an improvement', () => {
	const best = { score: 1.1 } as SearchNode;
	const baseline = { outcome: 'scored', score: 1, error: null } as const;
	it('is more than the noise, in the direction of the objective', () => {
		expect(isImprovement({ best, baseline, objective: 'maximize', noise: 0 })).toBe(true);
		expect(isImprovement({ best, baseline, objective: 'minimize', noise: 0 })).toBe(false);
		expect(isImprovement({ best, baseline, objective: 'maximize', noise: 0.2 })).toBe(false);
		expect(isImprovement({ best: { score: 1 } as SearchNode, baseline, objective: 'maximize', noise: 0 })).toBe(false);
	});
	it('over a baseline that could not score is one; over none that was measured it is not claimed', () => {
		expect(
			isImprovement({
				best,
				baseline: { outcome: 'crashed', score: null, error: 'x' },
				objective: 'maximize',
				noise: 0,
			}),
		).toBe(true);
		expect(isImprovement({ best, baseline: null, objective: 'maximize', noise: 0 })).toBe(false);
	});
});
