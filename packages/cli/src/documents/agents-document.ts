import type { AgentListing } from '@kapso-evolve/engine';
import { z } from 'zod';
import { schemaVersion } from './common.ts';

/** `agents --json`: how each would authenticate and be billed in words, never a value of a credential. */
export const agentsDocumentSchema = z.strictObject({
	schema_version: schemaVersion,
	agents: z.array(
		z.strictObject({
			name: z.string(),
			/** `later`: known by name, not in this release. */
			status: z.enum(['found', 'missing', 'later']),
			program: z.string().nullable(),
			version: z.string().nullable(),
			authentication: z.string(),
			billing: z.string(),
		}),
	),
});
export type AgentsDocument = z.output<typeof agentsDocumentSchema>;

export function agentsDocument(agents: readonly AgentListing[]): AgentsDocument {
	return {
		schema_version: 1,
		agents: agents.map(({ name, status, program, version, authentication, billing }) => ({
			name,
			status,
			program,
			version,
			authentication,
			billing,
		})),
	};
}
