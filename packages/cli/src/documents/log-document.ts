import { commitIdSchema, finiteSchema, outcomeSchema } from '@kapso-evolve/contracts';
import type { CampaignView } from '@kapso-evolve/engine';
import { z } from 'zod';
import { schemaVersion } from './common.ts';
import { externalSchema, externalValues } from './external.ts';

/** `log --json`: every candidate, in the order of their ids. */
export const logDocumentSchema = z.strictObject({
	schema_version: schemaVersion,
	nodes: z.array(
		z.strictObject({
			node_id: z.int().min(0),
			parent_node_id: z.int().min(0).nullable(),
			branch: z.string(),
			commit: commitIdSchema.nullable(),
			score: finiteSchema.nullable(),
			outcome: outcomeSchema,
			evaluation_valid: z.boolean(),
			cost_usd: z.number().min(0).nullable(),
			/** Only with `--external`. */
			external: externalSchema.optional(),
		}),
	),
});
export type LogDocument = z.output<typeof logDocumentSchema>;

export function logDocument(view: CampaignView, o: { readonly external: boolean }): LogDocument {
	return {
		schema_version: 1,
		nodes: view.nodes.map((node) => ({
			node_id: node.nodeId,
			parent_node_id: node.parentNodeId,
			branch: node.branchName,
			commit: node.commit,
			score: node.score,
			outcome: node.outcome,
			evaluation_valid: node.evaluationValid,
			cost_usd: node.costUsd,
			...(o.external ? { external: externalValues(node) } : {}),
		})),
	};
}
