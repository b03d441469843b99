import { KapsoError, nearestName, type ParentPolicy, parentPolicySchema } from '@kapso-evolve/contracts';

/**
 * The configuration value `search_strategy.params.parent_policy` (milestone 9): exactly `best` or `baseline`.
 * Throws `PARENT_POLICY_UNKNOWN` (usage) for everything else, null and other spellings included.
 */
export function parseParentPolicy(value: unknown): ParentPolicy {
	const parsed = parentPolicySchema.safeParse(value);
	if (parsed.success) return parsed.data;
	const known = parentPolicySchema.options;
	const nearest = typeof value === 'string' ? nearestName(value, known) : null;
	throw new KapsoError({
		code: 'PARENT_POLICY_UNKNOWN',
		category: 'usage',
		message: `search_strategy.params.parent_policy is ${JSON.stringify(value) ?? String(value)}; it must be "best" or "baseline".`,
		hint: `${nearest === null ? '' : `Did you mean "${nearest}"? `}Nothing was started. Without the key the policy is "best".`,
		data: { value: value === undefined ? null : value, known },
	});
}
