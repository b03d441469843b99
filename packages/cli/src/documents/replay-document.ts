import { commitIdSchema, parentPolicySchema } from '@kapso-evolve/contracts';
import type { Divergence, replayFolder } from '@kapso-evolve/engine';
import { z } from 'zod';
import { schemaVersion } from './common.ts';

const parentSchema = z.strictObject({
	/** Null: `main`. */
	node_id: z.int().min(0).nullable(),
	branch: z.string(),
	commit: commitIdSchema,
	reason: z.string(),
});

/** `replay --json`: whether the same choices are made again, else the first that is not. */
export const replayDocumentSchema = z.strictObject({
	schema_version: schemaVersion,
	recorded_policy: parentPolicySchema,
	parent_policy: parentPolicySchema,
	/** Parents chosen again. */
	decisions: z.int().min(0),
	identical: z.boolean(),
	divergence: z
		.strictObject({
			node_id: z.int().min(0),
			iteration: z.int().min(1),
			recorded: parentSchema,
			replayed: parentSchema,
		})
		.nullable(),
});
export type ReplayDocument = z.output<typeof replayDocumentSchema>;

export function replayDocument(replay: Awaited<ReturnType<typeof replayFolder>>): ReplayDocument {
	const { divergence } = replay;
	return {
		schema_version: 1,
		recorded_policy: replay.recordedPolicy,
		parent_policy: replay.parentPolicy,
		decisions: replay.decisions,
		identical: divergence === null,
		divergence: divergence && {
			node_id: divergence.nodeId,
			iteration: divergence.iteration,
			recorded: parentOf(divergence.recorded),
			replayed: parentOf(divergence.replayed),
		},
	};
}

function parentOf({ nodeId, branch, commit, reason }: Divergence['recorded']): z.output<typeof parentSchema> {
	return { node_id: nodeId, branch, commit, reason };
}
