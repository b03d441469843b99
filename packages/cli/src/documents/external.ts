import { finiteSchema, KapsoError, type SearchNode } from '@kapso-evolve/contracts';
import { z } from 'zod';

/** External values of milestone 4: possibly a holdout, so shown only to somebody who asked with `--external`. */
export const externalSchema = z.strictObject({
	metrics: z.record(z.string(), finiteSchema),
	primary_metric: z.string().nullable(),
	error: z.string().nullable(),
});
export type External = z.output<typeof externalSchema>;

export function externalValues(node: SearchNode): External {
	return { metrics: { ...node.metrics }, primary_metric: node.primaryMetric, error: node.externalEvaluationError };
}

const externalKey = /^(?:metrics|primary_?metric|external.*)$/i;

/** Data of the ledger or of a node without anything external, at any depth. */
export function withoutExternal(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutExternal);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([key]) => !externalKey.test(key))
			.map(([key, field]) => [key, withoutExternal(field)]),
	);
}

/** An agent may run this very program: what must not guide it is not for it to ask. */
export function refuseExternalToAgents(environment: Readonly<Record<string, string | undefined>>): void {
	if (environment.KAPSO_RUN_ID === undefined) return;
	throw new KapsoError({
		code: 'EXTERNAL_REFUSED',
		category: 'usage',
		message: 'external metrics are not shown inside an agent’s run (KAPSO_RUN_ID is set)',
		hint: 'nothing was changed; leave --external out, or ask from your own shell',
	});
}
