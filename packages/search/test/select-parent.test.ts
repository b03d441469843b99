import { KapsoError } from '@kapso-evolve/contracts';
import { describe, expect, it } from 'vitest';
import { createGenericSearch, parseParentPolicy } from '../src/index.ts';
import { childOf, node } from './nodes.ts';

const best = { parentPolicy: 'best', objective: 'maximize' } as const;

describe('the parent policy setting', () => {
	it.each([null, undefined, '', 'BEST', ' best', 'random', 1, true, ['best']])(
		'refuses %j and says what it may be [A150, M910]',
		(value) => {
			expect(() => parseParentPolicy(value)).toThrow(
				expect.objectContaining({
					code: 'PARENT_POLICY_UNKNOWN',
					category: 'usage',
					message: expect.stringContaining('"baseline"'),
				}),
			);
		},
	);

	it('takes the two names of milestone 9 and proposes the nearest for a slip [M902]', () => {
		expect(parseParentPolicy('best')).toBe('best');
		expect(parseParentPolicy('baseline')).toBe('baseline');
		try {
			parseParentPolicy('Baselin');
			expect.unreachable();
		} catch (thrown) {
			expect(KapsoError.isInstance(thrown) && thrown.hint).toContain('Did you mean "baseline"?');
		}
	});
});

describe('the choice of a parent', () => {
	it('starts from main when nothing exists', () => {
		expect(createGenericSearch(best).selectParent()).toEqual({
			branch: 'main',
			nodeId: null,
			commit: null,
			reason: 'No candidate exists yet: the first one starts from main.',
		});
	});

	it('takes branch, node and commit of the best candidate as one pair [M904]', () => {
		const first = node(0, { score: 0.5 });
		const second = childOf(first, 1, { score: 0.75 });
		const third = childOf(second, 2, { score: 0.1 });
		const search = createGenericSearch({ ...best, nodes: [first, second, third] });
		expect(search.selectParent()).toEqual({
			branch: 'generic_exp_1',
			nodeId: 1,
			commit: second.commit,
			reason: 'Node 1 has the best of 3 selectable scores (maximize), 0.75.',
		});
		expect(search.best()).toBe(second);
	});

	it('says so when several share the best score, and takes the earliest', () => {
		const nodes = [node(0, { score: 0 }), node(1, { score: 2 }), node(2, { score: 2 })];
		expect(createGenericSearch({ ...best, nodes }).selectParent()).toMatchObject({
			nodeId: 1,
			reason: expect.stringContaining('2 candidates share it and the earliest wins'),
		});
	});

	it('always takes main with no node under the policy baseline [A152, M907, M912]', () => {
		const nodes = [node(0, { score: 100 })];
		expect(createGenericSearch({ ...best, parentPolicy: 'baseline', nodes }).selectParent()).toEqual({
			branch: 'main',
			nodeId: null,
			commit: null,
			reason: 'The policy is "baseline": every candidate starts from main.',
		});
	});

	it('falls back on the newest committed work that nothing is known against [A156]', () => {
		const nodes = [
			node(0, { outcome: 'no-report', score: null }),
			node(1, { outcome: 'no-report', score: null }),
			node(2, { outcome: 'no-report', score: null, commit: null }),
			node(3, { outcome: 'no-report', score: null, evaluationValid: false }),
			node(4, { outcome: 'no-report', score: null, evaluationIntegrityError: 'changed: a.py' }),
			node(5, { outcome: 'scored', score: 3, confirmation: 'unreproduced' }),
			node(6, { outcome: 'crashed', score: null }),
			node(7, { outcome: 'agent-failed', score: null }),
			node(8, { outcome: 'infrastructure', score: null }),
			node(9, { outcome: 'no-report', score: null, commit: node(9).parentCommit }),
		];
		expect(createGenericSearch({ ...best, nodes }).selectParent()).toMatchObject({
			nodeId: 1,
			branch: 'generic_exp_1',
		});
	});

	it('prefers a valid scored candidate to later unscored work [A156]', () => {
		const nodes = [node(0, { score: -5 }), node(1, { outcome: 'no-report', score: null })];
		expect(createGenericSearch({ ...best, nodes }).selectParent()).toMatchObject({ nodeId: 0 });
	});

	it('goes back to main when every candidate failed or was rejected [A156, E28]', () => {
		const nodes = [node(0, { outcome: 'crashed', score: null }), node(1, { evaluationValid: false })];
		expect(createGenericSearch({ ...best, nodes }).selectParent()).toEqual({
			branch: 'main',
			nodeId: null,
			commit: null,
			reason: 'None of the 2 candidates so far can be built on: the next one starts from main.',
		});
	});
});
