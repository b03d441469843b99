import type { Objective, SearchNode } from '@kapso-evolve/contracts';
import { createGenericSearch, type SearchStrategy } from '@kapso-evolve/search';
import type { LaunchSettings } from './settings.ts';

/**
 * The strategy over a campaign's nodes, ranked by what the caller selects by: the score, or with `selectionMetric` that
 * external metric and nothing else. A candidate without it has no rank; the two numbers never meet in one ranking.
 */
export function strategyFor(options: {
	readonly settings: Pick<LaunchSettings, 'parentPolicy' | 'selectionMetric' | 'selectionDirection'>;
	readonly objective: Objective;
	readonly nodes: readonly SearchNode[];
}): SearchStrategy {
	const { settings, objective, nodes } = options;
	const { parentPolicy, selectionMetric, selectionDirection } = settings;
	if (selectionMetric === null) return createGenericSearch({ parentPolicy, objective, nodes });
	const ranked = nodes.map((node) => ({ ...node, score: node.metrics[selectionMetric] ?? null }));
	return createGenericSearch({ parentPolicy, objective: selectionDirection ?? 'maximize', nodes: ranked });
}

/** The best candidate as it was recorded, its score the suite's own. */
export function bestOf(options: Parameters<typeof strategyFor>[0]): SearchNode | null {
	const best = strategyFor(options).best();
	return best === null ? null : options.nodes.find((node) => node.nodeId === best.nodeId)!;
}
