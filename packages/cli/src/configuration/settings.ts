import { evaluationFileSchema, objectiveSchema, parentPolicySchema } from '@kapso-evolve/contracts';
import { routingConfigurationSchema } from '@kapso-evolve/llm-routing';
import { z } from 'zod';
import { parseCommandWords } from '../command-words.ts';

/** Said for shapes that a union or a missing type would describe less well. */
const command = z.union([
	z.string().transform((text, context) => {
		try {
			return parseCommandWords(text);
		} catch (error) {
			context.addIssue({ code: 'custom', message: (error as Error).message });
			return z.NEVER;
		}
	}),
	z.array(z.string()).min(1, 'must name a program'),
]);

/**
 * The settings of one campaign (CONTRACTS 6): the roadmap's keys under their names, and ours. Every limit that is not
 * given here or by a flag is the engine's; nothing here assumes a provider, a subscription or a machine.
 */
export const settingsSchema = z.strictObject({
	search_strategy: z
		.strictObject({
			type: z.literal('generic').optional(),
			params: z
				.strictObject({
					/** Milestone 9. */
					parent_policy: parentPolicySchema.optional(),
					/** Milestone 2. */
					repo_memory_failure_policy: z.enum(['warn', 'fail']).optional(),
					repo_memory_max_retries: z.int().min(0).max(10).optional(),
				})
				.optional(),
		})
		.optional(),
	budget: z
		.strictObject({
			max_iterations: z.int().min(1).optional(),
			time_budget_minutes: z.number().positive().optional(),
			cost_budget_usd: z.number().min(0).optional(),
			finalization_reserve_minutes: z.number().min(0).optional(),
		})
		.optional(),
	coding_agent: z
		.strictObject({
			type: z.string().min(1).optional(),
			command: command.optional(),
			/** Names of variables that the agent gets from the environment. */
			env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable')).optional(),
			/** Of one attempt. */
			deadline_minutes: z.number().positive().optional(),
			/** How often an agent may score its working tree in one attempt. */
			trial_budget: z.int().min(0).optional(),
		})
		.optional(),
	evaluation: evaluationFileSchema.optional(),
	/** Milestone 8. */
	models: routingConfigurationSchema.shape.models.unwrap().optional(),
	retry: routingConfigurationSchema.shape.retry.unwrap().optional(),
	require_isolation: z.boolean().optional(),
	/** An external metric that selects in place of the score; needs its direction and an evaluator. */
	selection_metric: z.string().min(1).optional(),
	selection_direction: objectiveSchema.optional(),
	/** External metrics that only observe. */
	holdout_metrics: z.array(z.string().min(1)).optional(),
	max_holdout_looks: z.int().min(0).optional(),
	/** Candidates of one iteration. */
	parallel: z.int().min(1).max(64).optional(),
});
export type Settings = z.output<typeof settingsSchema>;

/** Kapso's own keys that mean nothing here: a file that has them is taken, with one warning for each. */
export const keysWithoutMeaning = ['knowledge_search', 'learner', 'evaluation_maintainer'] as const;

/** Checked, and acted on by nothing in this release. */
export const keysWithoutEffect = [
	['search_strategy', 'params', 'repo_memory_failure_policy'],
	['search_strategy', 'params', 'repo_memory_max_retries'],
	['models'],
	['retry'],
] as const;

/** Keys of the contract that this release cannot honour: refused, because ignoring them would change what runs. */
export const keysOfLaterReleases = [
	'feedback_generator',
	'agent_sandbox',
	'project_settings',
	'prices',
	'gates',
] as const;

/** What a campaign starts from before any file: nobody's account, provider, timeout or benchmark. */
export const packagedSettings: Readonly<Record<string, unknown>> = {
	search_strategy: { type: 'generic', params: { parent_policy: 'best' } },
};
