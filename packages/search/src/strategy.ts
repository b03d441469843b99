import type { Objective, ParentPolicy, SearchNode } from '@kapso-evolve/contracts';
import { dumpState } from './dump-state.ts';
import { findLineageProblems, findNodeProblems } from './lineage.ts';
import { type ParentChoice, selectParent } from './select-parent.ts';
import { type Survey, surveyNodes, surveyWith } from './selection.ts';
import { strategyStateError } from './state-error.ts';

/** An immutable value: what changes it gives a new one. It does no input or output, and asks nobody. */
export interface SearchStrategy {
	readonly type: 'generic';
	readonly parentPolicy: ParentPolicy;
	readonly objective: Objective;
	/** Every candidate so far, failed ones included; the node with id n stands at place n. */
	readonly nodes: readonly SearchNode[];
	/** The id of the next candidate. Parallel lanes take this one and those after it, and are recorded in that order. */
	readonly nextNodeId: number;
	selectParent(): ParentChoice;
	/** Adds the node with id `nextNodeId`. Throws `STRATEGY_STATE` (usage) when its parent contradicts the recorded ones. */
	withNode(node: SearchNode): SearchStrategy;
	/** The same graph with another record for an existing id: a confirmation, a new score. */
	withNodeReplaced(node: SearchNode): SearchStrategy;
	/** The node to deliver, or null. */
	best(): SearchNode | null;
	/** JSON for a checkpoint; `loadSearch` reads it. */
	dumpState(): Record<string, unknown>;
}

export interface GenericSearchOptions {
	readonly parentPolicy: ParentPolicy;
	readonly objective: Objective;
	/** Throws `STRATEGY_STATE` (usage) when these contradict each other. */
	readonly nodes?: readonly SearchNode[];
}

/** One line of candidates: each starts from the parent that the policy chooses among those before it. */
export function createGenericSearch({ nodes = [], ...rules }: GenericSearchOptions): SearchStrategy {
	refuse(findLineageProblems(nodes));
	return attach(Object.freeze([...nodes]), rules, surveyNodes(nodes, rules.objective));
}

function attach(
	nodes: readonly SearchNode[],
	rules: Readonly<{ parentPolicy: ParentPolicy; objective: Objective }>,
	survey: Survey,
): SearchStrategy {
	return Object.freeze<SearchStrategy>({
		type: 'generic',
		...rules,
		nodes,
		nextNodeId: nodes.length,
		selectParent: () => selectParent(nodes, rules, survey),
		withNode(node) {
			const grown = Object.freeze([...nodes, node]);
			refuse(findNodeProblems(grown, nodes.length));
			const owner = nodes.find((other) => other.branchName === node.branchName);
			if (owner) throw strategyStateError([`branch ${node.branchName} already belongs to node ${owner.nodeId}`]);
			return attach(grown, rules, surveyWith(survey, node, rules.objective));
		},
		withNodeReplaced(node) {
			if (!nodes[node.nodeId]) throw strategyStateError([`there is no node ${node.nodeId} to replace`]);
			return createGenericSearch({ ...rules, nodes: nodes.with(node.nodeId, node) });
		},
		best: () => survey.best,
		dumpState: () => dumpState(nodes, rules),
	});
}

function refuse(problems: readonly { readonly message: string }[]): void {
	if (problems.length > 0) throw strategyStateError(problems.map(({ message }) => message));
}
