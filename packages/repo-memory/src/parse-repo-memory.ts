import { KapsoError } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { type RepoMemory, repoMemoryPath, repoMemorySchema } from './repo-memory.ts';

/**
 * Reads the file's text. Throws `KapsoError` (verdict): `REPO_MEMORY_JSON`, `REPO_MEMORY_VERSION`, `REPO_MEMORY_SHAPE`
 * with every problem. Notes on a repository are optional: what a failure means is the caller's failure policy.
 */
export function parseRepoMemory(text: string): RepoMemory {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		throw refusal('REPO_MEMORY_JSON', 'is not JSON', {}, cause);
	}
	const version = z.looseObject({ schema_version: z.json() }).safeParse(value).data?.schema_version;
	if (version !== undefined && version !== 2) {
		throw refusal('REPO_MEMORY_VERSION', `has schema_version ${JSON.stringify(version)}, not 2`, { version });
	}
	const parsed = repoMemorySchema.safeParse(value);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
	throw refusal('REPO_MEMORY_SHAPE', `has another shape: ${problems.join('; ')}`, { problems });
}

function refusal(code: string, problem: string, data: Record<string, unknown>, cause?: unknown): KapsoError {
	return new KapsoError({
		code,
		category: 'verdict',
		message: `${repoMemoryPath} ${problem}.`,
		hint: 'The notes are optional: remove the file to go on without them.',
		data,
		cause,
	});
}
