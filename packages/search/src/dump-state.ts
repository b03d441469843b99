import {
	encodeNode,
	type Objective,
	objectiveSchema,
	type ParentPolicy,
	parentPolicySchema,
	type SearchNode,
} from '@kapso-evolve/contracts';
import { z } from 'zod';

/** `strategy_state` in a checkpoint, as far as it can be said without reading the nodes. */
export const strategyStateSchema = z.strictObject({
	/** Absent in states older than the policy: `best`, as those campaigns ran (milestone 9). */
	parent_policy: parentPolicySchema.default('best'),
	objective: objectiveSchema.optional(),
	node_history: z.array(z.record(z.string(), z.unknown())),
	/** Both are derived from the nodes when written, and never trusted when read. */
	iteration_count: z.int().min(0).optional(),
	previous_errors: z.array(z.string()).optional(),
});

/** Nodes with their names on disk, in the order of their ids; counters derived from them. */
export function dumpState(
	nodes: readonly SearchNode[],
	{ parentPolicy, objective }: { readonly parentPolicy: ParentPolicy; readonly objective: Objective },
): Record<string, unknown> {
	return {
		parent_policy: parentPolicy,
		objective,
		node_history: nodes.map(encodeNode),
		iteration_count: nodes.reduce((latest, node) => Math.max(latest, node.iteration), 0),
		previous_errors: nodes.flatMap(({ errorMessage }) => (errorMessage === null ? [] : [errorMessage])),
	};
}
