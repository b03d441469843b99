import type { LedgerLine, ParentPolicy } from '@kapso-evolve/contracts';
import { createGrowingStrategy, type RankingRules } from './ranking.ts';
import { applyLine, emptyState, type Parent } from './state.ts';

/** Where a campaign would have gone another way than it did. */
export interface Divergence {
	readonly nodeId: number;
	readonly iteration: number;
	readonly recorded: Parent;
	readonly replayed: Parent;
}

export interface Replay {
	readonly parentPolicy: ParentPolicy;
	/** Parents that were chosen again, the diverging one included. */
	readonly decisions: number;
	/** The first; null: every choice is the one that was made. */
	readonly divergence: Divergence | null;
}

/**
 * Runs a campaign again from its ledger, without an agent, a model, Git or a clock: wherever a parent was chosen, the
 * strategy is asked over what was known then. A replay ends at the first candidate that would have had another parent:
 * what agents would have made of it nobody knows. Pure.
 */
export function replayCampaign(
	lines: readonly LedgerLine[],
	{ mainCommit, ...rules }: RankingRules & { readonly mainCommit: string },
): Replay {
	const { parentPolicy } = rules.settings;
	const strategyOver = createGrowingStrategy(rules);
	const chosen = new Set<number>();
	let state = emptyState;
	for (const line of lines) {
		// A redone attempt keeps its parent: there was one choice for its node.
		if (line.type === 'intent' && !chosen.has(line.node_id!)) {
			chosen.add(line.node_id!);
			const choice = strategyOver(state.nodes).selectParent();
			const replayed = { ...choice, commit: choice.commit ?? mainCommit };
			const { recorded, iteration } = choiceIn(line);
			if (replayed.branch !== recorded.branch || replayed.commit !== recorded.commit) {
				const divergence = { nodeId: line.node_id!, iteration, recorded, replayed };
				return { parentPolicy, decisions: chosen.size, divergence };
			}
		}
		state = applyLine(state, line);
	}
	return { parentPolicy, decisions: chosen.size, divergence: null };
}

function choiceIn({ data }: LedgerLine): { readonly recorded: Parent; readonly iteration: number } {
	return {
		iteration: data.iteration as number,
		recorded: {
			branch: data.parent_branch as string,
			commit: data.parent_commit as string,
			nodeId: data.parent_node_id as number | null,
			reason: data.parent_reason as string,
		},
	};
}
