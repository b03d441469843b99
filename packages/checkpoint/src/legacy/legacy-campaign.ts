import type { StoppedReason } from '@kapso-evolve/contracts';
import { z } from 'zod';

const text = z.string().default('');
const finite = z.number();

/**
 * One candidate in the names of the Python releases. Older files lack the later fields, which then have their empty
 * defaults; fields that mean nothing here (absolute paths, embeddings) are left behind.
 */
export const legacyNodeSchema = z.object({
	node_id: z.int().min(0),
	parent_node_id: z.int().min(0).nullable().default(null),
	branch_name: text,
	parent_branch_name: text,
	solution: text,
	agent_output: text,
	code_diff: text,
	evaluation_output: text,
	feedback: text,
	/** Null also for a score that was no finite number: such a score is none. */
	score: z
		.union([z.number(), z.nan(), z.literal([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])])
		.nullable()
		.default(null)
		.transform((score) => (score !== null && Number.isFinite(score) ? score : null)),
	had_error: z.boolean().default(false),
	error_message: text,
	evaluation_valid: z.boolean().default(true),
	evaluation_integrity_error: z.string().nullable().default(null),
	metrics: z.record(z.string(), finite).default({}),
	primary_metric: z.string().nullable().default(null),
	external_evaluation_metadata: z.record(z.string(), z.json()).default({}),
	external_evaluation_error: z.string().nullable().default(null),
	cost_usd: finite.min(0).nullable().default(null),
	duration_seconds: finite.min(0).nullable().default(null),
	started_at: z
		.string()
		.nullable()
		.default('')
		.transform((at) => at ?? ''),
});
export type LegacyNode = z.output<typeof legacyNodeSchema>;

/** A campaign of a Python release, as much of it as its file tells. Ids of nodes run 0, 1, 2, …, in order. */
export interface LegacyCampaign {
	/** The file, and the SHA-256 of the bytes that this was read from. */
	readonly source: 'checkpoint.pkl' | 'run_state.json';
	readonly sha256: string;
	/** Of `run_state.json`; a pickle has none. */
	readonly schemaVersion: 1 | 2 | null;
	/** Ids as they were in the file, where they were others. */
	readonly renumbered: readonly number[] | null;
	readonly goal: string | null;
	readonly status: 'running' | 'completed';
	readonly completedIterations: number;
	/** Dollars by component; null: nobody recorded them. */
	readonly costByComponent: Readonly<Record<string, number>> | null;
	readonly elapsedSeconds: number;
	readonly lastStop: { readonly reason: StoppedReason; readonly detail: string } | null;
	readonly nodes: readonly LegacyNode[];
}

/**
 * The candidates of a history, numbered in its order. A history may name a node twice (the first time counts), and in
 * a tree the parents need not be in it: then the nearest ancestor that is takes their place, else `main`.
 */
export function numberNodes(
	history: readonly LegacyNode[],
	known: readonly LegacyNode[] = history,
): Pick<LegacyCampaign, 'nodes' | 'renumbered'> {
	const first = new Map<number, LegacyNode>();
	for (const node of history) if (!first.has(node.node_id)) first.set(node.node_id, node);
	const ids = new Map([...first.keys()].map((id, index) => [id, index]));
	const parents = new Map(known.map((node) => [node.node_id, node.parent_node_id]));
	const kept = [...first.values()];
	const nodes = kept.map((node, index) => {
		const parent = nearest(node.parent_node_id, { ids, parents, below: index });
		const parentBranch = parent === null ? 'main' : kept[parent]!.branch_name;
		return { ...node, node_id: index, parent_node_id: parent, parent_branch_name: parentBranch };
	});
	const original = [...first.keys()];
	return { nodes, renumbered: original.every((id, index) => id === index) ? null : original };
}

function nearest(
	parent: number | null,
	{
		ids,
		parents,
		below,
	}: { ids: ReadonlyMap<number, number>; parents: ReadonlyMap<number, number | null>; below: number },
): number | null {
	const seen = new Set<number>();
	for (let id = parent; id !== null && !seen.has(id); id = parents.get(id) ?? null) {
		seen.add(id);
		const index = ids.get(id);
		if (index !== undefined && index < below) return index;
	}
	return null;
}
