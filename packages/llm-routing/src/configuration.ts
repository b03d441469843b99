import { KapsoError, nearestName } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { retryPolicySchema } from './retry-policy.ts';
import { modelRoles } from './roles.ts';

const name = z.string().trim().min(1, 'must not be empty');
const route = z.union([name, z.strictObject({ model: name, reasoning_effort: name.optional() })], {
	error: 'must be the name of a model, or { model, reasoning_effort? } with names that are not empty',
});

/** The configuration blocks `models` and `retry`. */
export const routingConfigurationSchema = z.strictObject({
	models: z
		.strictObject({
			utility: route.optional(),
			reasoning: route.optional(),
			web_search: route.optional(),
			embedding: route.optional(),
		})
		.prefault({}),
	retry: retryPolicySchema.prefault({}),
});

/** As people write them. */
export type RoutingConfiguration = z.input<typeof routingConfigurationSchema>;

/** Throws `KapsoError` `ROUTING_CONFIGURATION` (usage) that names every problem at once. */
export function parseRoutingConfiguration(value: unknown): z.output<typeof routingConfigurationSchema> {
	const parsed = routingConfigurationSchema.safeParse(value);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${explain(issue)}`);
	throw new KapsoError({
		code: 'ROUTING_CONFIGURATION',
		category: 'usage',
		message: `The configuration of models has ${problems.length} problem(s): ${problems.join('; ')}.`,
		hint: `Nothing was started. Roles: ${modelRoles.join(', ')}.`,
		data: { problems },
	});
}

function explain(issue: z.core.$ZodIssue): string {
	if (issue.code !== 'unrecognized_keys') return issue.message;
	const blocks: Record<string, readonly string[]> = {
		models: modelRoles,
		retry: Object.keys(retryPolicySchema.shape),
	};
	const known = issue.path.length === 0 ? Object.keys(blocks) : (blocks[String(issue.path[0])] ?? []);
	return issue.keys
		.map((key) => {
			const nearest = nearestName(key, known);
			return `unknown key ${JSON.stringify(key)}${nearest === null ? '' : `, did you mean ${nearest}?`}`;
		})
		.join(', ');
}
