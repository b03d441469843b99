import { toDiskNames } from '@kapso-evolve/contracts';
import type { CandidateView } from '@kapso-evolve/engine';
import { z } from 'zod';
import { schemaVersion } from './common.ts';
import { externalSchema, externalValues, withoutExternal } from './external.ts';

/** `show --json`: the candidate's fields as the history names them, its diff to the parent, its ledger lines. */
export const showDocumentSchema = z.strictObject({
	schema_version: schemaVersion,
	node: z.record(z.string(), z.json()),
	diff: z.string(),
	ledger: z.array(z.record(z.string(), z.json())),
	/** Only with `--external`. */
	external: externalSchema.optional(),
});
export type ShowDocument = z.output<typeof showDocumentSchema>;

export function showDocument(view: CandidateView, o: { readonly external: boolean }): ShowDocument {
	const ledger = view.ledger.filter((line) => line.type !== 'external').map(withoutExternal);
	return {
		schema_version: 1,
		node: withoutExternal(toDiskNames(view.node)) as ShowDocument['node'],
		diff: view.diff,
		ledger: (o.external ? [...view.ledger] : ledger) as ShowDocument['ledger'],
		...(o.external ? { external: externalValues(view.node) } : {}),
	};
}
