import { KapsoError } from '@kapso-evolve/contracts';
import { z } from 'zod';

/** What a failure of the notes does: `warn` goes on without them, `fail` passes the original failure on. */
export const repoMemoryFailurePolicySchema = z.enum(['warn', 'fail']);
export type RepoMemoryFailurePolicy = z.infer<typeof repoMemoryFailurePolicySchema>;

const settingsSchema = z.object({
	repo_memory_failure_policy: repoMemoryFailurePolicySchema.default('warn'),
	/** Repairs of a malformed answer, after the first one. */
	repo_memory_max_retries: z.int().min(0).max(100).default(2),
});

export interface RepoMemorySettings {
	readonly failurePolicy: RepoMemoryFailurePolicy;
	readonly maxRetries: number;
}

/**
 * The two keys of `search_strategy.params` (milestone 2); the others there belong to others. Throws `KapsoError`
 * `REPO_MEMORY_SETTINGS` (usage).
 */
export function parseRepoMemorySettings(params: unknown): RepoMemorySettings {
	const parsed = settingsSchema.safeParse(params ?? {});
	if (parsed.success) {
		const { repo_memory_failure_policy: failurePolicy, repo_memory_max_retries: maxRetries } = parsed.data;
		return { failurePolicy, maxRetries };
	}
	const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'params'}: ${issue.message}`);
	throw new KapsoError({
		code: 'REPO_MEMORY_SETTINGS',
		category: 'usage',
		message: `Settings of the repository memory: ${problems.join('; ')}.`,
		hint: 'repo_memory_failure_policy is warn or fail, repo_memory_max_retries a whole number from 0.',
		data: { problems },
	});
}
