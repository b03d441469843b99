import { describe, expect, it } from 'vitest';
import { exclusionOf, isBetter, isSelectable, rankNodes, selectBest } from '../src/index.ts';
import { node } from './nodes.ts';

describe('selection', () => {
	it('takes the highest score, and the lowest when the objective is to minimise', () => {
		const nodes = [node(0, { score: 0.2 }), node(1, { score: 0.9 }), node(2, { score: -4 })];
		expect(selectBest(nodes, 'maximize')?.nodeId).toBe(1);
		expect(selectBest(nodes, 'minimize')?.nodeId).toBe(2);
		expect(rankNodes(nodes, 'maximize').map(({ nodeId }) => nodeId)).toEqual([1, 0, 2]);
		expect(rankNodes(nodes, 'minimize').map(({ nodeId }) => nodeId)).toEqual([2, 0, 1]);
	});

	it('keeps invalid, failed, unreproduced, scoreless and commitless candidates out [M911, EI35, E28]', () => {
		const excluded = [
			node(0, { score: 9, evaluationValid: false }),
			node(1, { score: 9, outcome: 'invalid' }),
			node(2, { score: 9, outcome: 'crashed' }),
			node(3, { score: 9, confirmation: 'unreproduced' }),
			node(4, { score: null }),
			node(5, { score: 9, commit: null }),
			{ ...node(6), score: Number.NaN },
			{ ...node(7), score: Number.POSITIVE_INFINITY },
		];
		expect(excluded.filter(isSelectable)).toEqual([]);
		expect(selectBest(excluded, 'maximize')).toBeNull();
		expect(rankNodes(excluded, 'minimize')).toEqual([]);
	});

	it('says of every excluded candidate why, and of a selectable one nothing', () => {
		const reasons = [
			node(0),
			node(1, {
				outcome: 'invalid',
				evaluationValid: false,
				score: null,
				evaluationIntegrityError: 'changed: score.py',
			}),
			node(2, { outcome: 'invalid', score: null, code: 'OUTPUT_KIND' }),
			node(3, { outcome: 'no-change', score: null, commit: null }),
			node(4, { confirmation: 'unreproduced' }),
			node(5, { score: null }),
			node(6, { commit: null }),
		].map(exclusionOf);
		expect(reasons).toEqual([
			null,
			'was rejected: changed: score.py',
			'ended as invalid: OUTPUT_KIND',
			'ended as no-change',
			'did not reproduce its score',
			'has no finite score',
			'has no commit that its score could be of',
		]);
	});

	it('never looks at external metrics [RR01, XE03]', () => {
		const nodes = [node(0, { score: 1, metrics: { holdout: 0 } }), node(1, { score: 0, metrics: { holdout: 100 } })];
		expect(selectBest(nodes, 'maximize')?.nodeId).toBe(0);
	});

	it('gives a tie to the earliest id, in whatever order the nodes come', () => {
		const nodes = [node(2, { score: 1 }), node(0, { score: 1 }), node(1, { score: 1 })];
		expect(selectBest(nodes, 'maximize')?.nodeId).toBe(0);
		expect(rankNodes(nodes, 'minimize').map(({ nodeId }) => nodeId)).toEqual([0, 1, 2]);
	});

	it('calls equal scores no improvement', () => {
		expect(isBetter(1, 1, 'maximize')).toBe(false);
		expect(isBetter(1, 1, 'minimize')).toBe(false);
		expect(isBetter(2, 1, 'maximize')).toBe(true);
		expect(isBetter(2, 1, 'minimize')).toBe(false);
	});
});
