import type { SearchNode } from '@kapso-evolve/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	createGenericSearch,
	findLineageProblems,
	isSelectable,
	loadSearch,
	rankNodes,
	type SearchStrategy,
} from '../src/index.ts';
import { childOf, histories, node } from './nodes.ts';

const objectives = fc.constantFrom('maximize' as const, 'minimize' as const);
const policies = fc.constantFrom('best' as const, 'baseline' as const);

describe('over random histories', () => {
	it('the parent is never invalid, failed, unreproduced, without a commit, or later [M911, E28]', () => {
		fc.assert(
			fc.property(histories, policies, objectives, (nodes, parentPolicy, objective) => {
				const choice = createGenericSearch({ parentPolicy, objective, nodes }).selectParent();
				if (choice.nodeId === null) {
					expect(choice).toMatchObject({ branch: 'main', commit: null });
					return;
				}
				expect(parentPolicy).toBe('best');
				const parent = nodes[choice.nodeId]!;
				expect(choice).toMatchObject({ branch: parent.branchName, commit: parent.commit });
				expect(parent.commit).not.toBeNull();
				expect(parent.evaluationValid).toBe(true);
				expect(parent.confirmation).not.toBe('unreproduced');
				expect(['scored', 'no-report']).toContain(parent.outcome);
				if (nodes.some(isSelectable)) expect(isSelectable(parent)).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});

	it('whatever parent is chosen, a child of it is a consistent next node', () => {
		fc.assert(
			fc.property(histories, policies, objectives, (nodes, parentPolicy, objective) => {
				const search = createGenericSearch({ parentPolicy, objective, nodes });
				const { nodeId } = search.selectParent();
				const child = nodeId === null ? node(nodes.length) : childOf(nodes[nodeId]!, nodes.length);
				expect(search.withNode(child).nodes).toEqual([...nodes, child]);
			}),
			{ numRuns: 300 },
		);
	});

	it('the best is the first of the ranking: none is better, and an equal one is not earlier', () => {
		fc.assert(
			fc.property(histories, objectives, (nodes, objective) => {
				const best = createGenericSearch({ parentPolicy: 'best', objective, nodes }).best();
				const selectable = nodes.filter(isSelectable);
				expect(best === null).toBe(selectable.length === 0);
				expect(best).toBe(rankNodes(nodes, objective)[0] ?? null);
				for (const other of selectable) {
					const gain = objective === 'maximize' ? best!.score! - other.score! : other.score! - best!.score!;
					expect(gain > 0 || (gain === 0 && best!.nodeId <= other.nodeId)).toBe(true);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it('the order in which equal things stand does not matter to the ranking', () => {
		const shuffled = histories.chain((nodes) =>
			fc.tuple(fc.constant(nodes), fc.shuffledSubarray(nodes, { minLength: nodes.length })),
		);
		fc.assert(
			fc.property(shuffled, objectives, ([nodes, other], objective) => {
				expect(rankNodes(other, objective)).toEqual(rankNodes(nodes, objective));
			}),
			{ numRuns: 300 },
		);
	});

	it('minimising is maximising the negated scores', () => {
		const negate = (nodes: readonly SearchNode[]) =>
			nodes.map((each) => ({ ...each, score: each.score === null ? null : 0 - each.score }));
		fc.assert(
			fc.property(histories, policies, (nodes, parentPolicy) => {
				const up = createGenericSearch({ parentPolicy, objective: 'maximize', nodes });
				const down = createGenericSearch({ parentPolicy, objective: 'minimize', nodes: negate(nodes) });
				expect(down.selectParent().nodeId).toBe(up.selectParent().nodeId);
				expect(down.best()?.nodeId).toBe(up.best()?.nodeId);
			}),
			{ numRuns: 300 },
		);
	});

	it('what is dumped as JSON loads as the same strategy, at every length of the history [M309, E17, E23]', () => {
		fc.assert(
			fc.property(histories, policies, objectives, (nodes, parentPolicy, objective) => {
				const whole = createGenericSearch({ parentPolicy, objective, nodes });
				const cut = nodes.slice(0, Math.floor(nodes.length / 2));
				const half = createGenericSearch({ parentPolicy, objective, nodes: cut });
				let resumed = loadSearch(JSON.parse(JSON.stringify(half.dumpState())), { parentPolicy, objective });
				for (const each of nodes.slice(cut.length)) resumed = resumed.withNode(each);
				expect(resumed.nodes).toEqual(nodes);
				expect(resumed.dumpState()).toEqual(whole.dumpState());
				expect(resumed.selectParent()).toEqual(whole.selectParent());
			}),
			{ numRuns: 300 },
		);
	});

	it('a campaign resumed before every iteration goes the way of the uninterrupted one [E17, E23]', () => {
		const scores = fc.array(fc.option(fc.integer({ min: -3, max: 3 })), { maxLength: 15 });
		fc.assert(
			fc.property(scores, policies, objectives, (results, parentPolicy, objective) => {
				const rules = { parentPolicy, objective };
				const step = (search: SearchStrategy, score: number | null): SearchStrategy => {
					const { nodeId } = search.selectParent();
					const outcome = score === null ? 'crashed' : 'scored';
					const result = { score, outcome } as const;
					const next = search.nextNodeId;
					return search.withNode(nodeId === null ? node(next, result) : childOf(search.nodes[nodeId]!, next, result));
				};
				const resumed = (search: SearchStrategy) => loadSearch(JSON.parse(JSON.stringify(search.dumpState())), rules);
				const straight = results.reduce(step, createGenericSearch(rules));
				const broken = results.reduce((search, score) => step(resumed(search), score), createGenericSearch(rules));
				expect(broken.dumpState()).toEqual(straight.dumpState());
				expect(broken.nodes.map(({ nodeId }) => nodeId)).toEqual(results.map((_, index) => index));
			}),
			{ numRuns: 200 },
		);
	});

	it('any change of a recorded parent is found', () => {
		const grown = histories.filter((nodes) => nodes.length > 1);
		fc.assert(
			fc.property(grown, fc.nat(), fc.nat({ max: 30 }), (nodes, place, parentNodeId) => {
				const index = place % nodes.length;
				fc.pre(nodes[index]!.parentNodeId !== parentNodeId);
				const changed = nodes.with(index, { ...nodes[index]!, parentNodeId });
				expect(findLineageProblems(changed)).not.toEqual([]);
			}),
			{ numRuns: 300 },
		);
	});
});
