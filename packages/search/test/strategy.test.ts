import { type SearchNode, toDiskNames } from '@kapso-evolve/contracts';
import { describe, expect, it } from 'vitest';
import { createGenericSearch, loadSearch } from '../src/index.ts';
import { childOf, commitId, node } from './nodes.ts';

const rules = { parentPolicy: 'best', objective: 'maximize' } as const;
const first = node(0, { score: 1 });

function stateOf(...nodes: readonly SearchNode[]): Record<string, unknown> {
	return { parent_policy: 'best', objective: 'maximize', node_history: nodes.map(toDiskNames) };
}

describe('a search strategy', () => {
	it('is a value: a new node gives a new strategy and leaves the old one alone', () => {
		const empty = createGenericSearch(rules);
		const one = empty.withNode(first);
		const two = one.withNode(childOf(first, 1));
		expect([empty, one, two].map(({ nextNodeId }) => nextNodeId)).toEqual([0, 1, 2]);
		expect(empty.nodes).toEqual([]);
		expect(Object.isFrozen(two.nodes) && Object.isFrozen(two)).toBe(true);
	});

	it('selects anew when a record is replaced', () => {
		const search = createGenericSearch({ ...rules, nodes: [first, node(1, { score: 2 })] });
		const lost = search.withNodeReplaced(node(1, { score: 2, confirmation: 'unreproduced' }));
		expect(search.best()?.nodeId).toBe(1);
		expect(lost.best()?.nodeId).toBe(0);
		expect(() => search.withNodeReplaced(node(2))).toThrow(expect.objectContaining({ code: 'STRATEGY_STATE' }));
	});

	it('refuses a node whose id, branch or parent contradicts the recorded ones [D14]', () => {
		const search = createGenericSearch({ ...rules, nodes: [first] });
		for (const wrong of [
			node(0),
			node(2),
			node(1, { branchName: 'generic_exp_0' }),
			childOf(node(0, { commit: commitId(9) }), 1),
		]) {
			expect(() => search.withNode(wrong)).toThrow(
				expect.objectContaining({ code: 'STRATEGY_STATE', category: 'usage' }),
			);
		}
	});
});

describe('a state that is loaded', () => {
	it('carries branches, counters and errors through a round trip [A36, M309, M310]', () => {
		const nodes = [first, childOf(first, 1, { iteration: 4, outcome: 'crashed', score: null, errorMessage: 'exit 1' })];
		const state = JSON.parse(JSON.stringify(createGenericSearch({ ...rules, nodes }).dumpState()));
		expect(state).toMatchObject({ parent_policy: 'best', iteration_count: 4, previous_errors: ['exit 1'] });
		expect(state.node_history[1]).toMatchObject({ node_id: 1, parent_node_id: 0, branch_name: 'generic_exp_1' });
		expect(loadSearch(state, rules).nodes).toEqual(nodes);
		expect(loadSearch(state, rules).dumpState()).toEqual(state);
	});

	it('takes an iteration count beside the number of nodes, and no negative one [A37, E18]', () => {
		for (const iteration_count of [0, 1, 50]) {
			expect(loadSearch({ ...stateOf(first), iteration_count }, rules).dumpState().iteration_count).toBe(1);
		}
		for (const iteration_count of [-1, 1.5, true, '1']) {
			expect(() => loadSearch({ ...stateOf(first), iteration_count }, rules)).toThrow(/iteration_count/);
		}
	});

	it('reads a state without a policy as best [A155, M915]', () => {
		const { parent_policy: _, ...older } = stateOf(first);
		expect(loadSearch(older, rules).parentPolicy).toBe('best');
		expect(() => loadSearch(older, { ...rules, parentPolicy: 'baseline' })).toThrow(
			expect.objectContaining({
				code: 'PARENT_POLICY_CHANGED',
				data: { key: 'parent_policy', recorded: 'best', requested: 'baseline' },
			}),
		);
	});

	it('refuses another policy or objective than the campaign ran with [A155, M915]', () => {
		const state = createGenericSearch({ parentPolicy: 'baseline', objective: 'minimize' }).dumpState();
		expect(() => loadSearch(state, { ...rules, objective: 'minimize' })).toThrow(/parent_policy "baseline"/);
		expect(() => loadSearch(state, { ...rules, parentPolicy: 'baseline' })).toThrow(
			expect.objectContaining({ code: 'OBJECTIVE_CHANGED', category: 'usage' }),
		);
	});

	it.each<[string, Record<string, unknown>]>([
		['node 1: its id is 2', stateOf(first, node(2))],
		['node 1: its id is 0', stateOf(first, { ...first, branchName: 'other' })],
		['no parent node and branch main go together', stateOf(node(0, { parentBranchName: 'generic_exp_7' }))],
		['no parent node and branch main go together', stateOf(first, { ...childOf(first, 1), parentBranchName: 'main' })],
		['parent node 1 is not earlier', stateOf(first, childOf(node(1), 1))],
		['parent node 2 is not earlier', stateOf(first, childOf(node(2), 1), node(2))],
		[
			'is not generic_exp_0, the branch of node 0',
			stateOf(first, { ...childOf(first, 1), parentBranchName: 'generic_exp_5' }),
		],
		['the commit of node 0', stateOf(first, { ...childOf(first, 1), parentCommit: commitId(77) })],
		['already belongs to node 0', stateOf(first, node(1, { branchName: 'generic_exp_0' }))],
		['cannot be branch main', stateOf(node(0, { branchName: 'main' }))],
		['node 0 score', { ...stateOf(), node_history: [{ ...toDiskNames(first), score: Number.NaN }] }],
		['surprise', { ...stateOf(), surprise: 1 }],
		['node_history', { parent_policy: 'best' }],
	])('is refused with what is inconsistent: %s [A38, A155, M915]', (message, state) => {
		expect(() => loadSearch(state, rules)).toThrow(
			expect.objectContaining({ code: 'STRATEGY_STATE', category: 'usage', message: expect.stringContaining(message) }),
		);
	});

	it('is refused for every problem at once', () => {
		const state = stateOf(node(0, { branchName: 'main' }), node(5), childOf(node(9), 2));
		expect(() => loadSearch(state, rules)).toThrow(
			expect.objectContaining({ data: { problems: expect.objectContaining({ length: 3 }) } }),
		);
	});

	it.each([null, undefined, 3, 'x', [], {}])('is refused by name when it is %j', (state) => {
		expect(() => loadSearch(state, rules)).toThrow(expect.objectContaining({ code: 'STRATEGY_STATE' }));
	});
});
