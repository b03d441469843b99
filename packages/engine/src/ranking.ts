import type { Objective, SearchNode } from '@kapso-evolve/contracts';
import { createGenericSearch, type SearchStrategy } from '@kapso-evolve/search';
import type { LaunchSettings } from './settings.ts';

export interface RankingRules {
	readonly settings: Pick<LaunchSettings, 'parentPolicy' | 'selectionMetric' | 'selectionDirection'>;
	readonly objective: Objective;
}

/**
 * The strategy over a campaign's nodes, ranked by what the caller selects by: the score, or with `selectionMetric` that
 * external metric and nothing else. A candidate without it has no rank; the two numbers never meet in one ranking.
 */
export function strategyFor({
	nodes,
	...rules
}: RankingRules & { readonly nodes: readonly SearchNode[] }): SearchStrategy {
	const { parentPolicy, selectionMetric, selectionDirection } = rules.settings;
	const objective = selectionMetric === null ? rules.objective : (selectionDirection ?? 'maximize');
	return createGenericSearch({ parentPolicy, objective, nodes: nodes.map((node) => ranked(node, selectionMetric)) });
}

function ranked(node: SearchNode, selectionMetric: string | null): SearchNode {
	return selectionMetric === null ? node : { ...node, score: node.metrics[selectionMetric] ?? null };
}

/**
 * The same for a campaign that grows: of nodes that begin as the last ones did, only the new ones are looked at, so
 * that a candidate costs the same whether it is the tenth or the ten thousandth.
 */
export function createGrowingStrategy(rules: RankingRules): (nodes: readonly SearchNode[]) => SearchStrategy {
	let known: readonly SearchNode[] = [];
	let strategy = strategyFor({ ...rules, nodes: known });
	return (nodes) => {
		const grown = known.length <= nodes.length && known.every((node, index) => node === nodes[index]);
		strategy = grown
			? nodes
					.slice(known.length)
					.reduce((sofar, node) => sofar.withNode(ranked(node, rules.settings.selectionMetric)), strategy)
			: strategyFor({ ...rules, nodes });
		known = nodes;
		return strategy;
	};
}

/** The best candidate as it was recorded, its score the suite's own. */
export function bestOf(options: Parameters<typeof strategyFor>[0]): SearchNode | null {
	const best = strategyFor(options).best();
	return best === null ? null : options.nodes.find((node) => node.nodeId === best.nodeId)!;
}
