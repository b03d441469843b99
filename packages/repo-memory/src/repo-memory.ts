import { z } from 'zod';
import { repoMapSchema } from './repo-map.ts';

/** Where the file lives on every branch. */
export const repoMemoryPath = '.kapso/repo_memory.json';

const evidenceSchema = z.looseObject({
	path: z.string(),
	line: z.int().min(0).nullish(),
	description: z.string().nullish(),
});
const claimSchema = z.looseObject({
	kind: z.string(),
	statement: z.string(),
	confidence: z.union([z.number(), z.string()]).nullish(),
	evidence: z.array(evidenceSchema).default([]),
});
const sectionSchema = z.looseObject({
	title: z.string(),
	one_liner: z.string().default(''),
	claims: z.array(claimSchema).optional(),
	/** Free lines, in sections without claims. */
	content: z.array(z.json()).optional(),
});
const bookSchema = z.looseObject({
	summary: z.string(),
	toc: z.array(z.looseObject({ id: z.string(), title: z.string(), one_liner: z.string().default('') })).default([]),
	sections: z.record(z.string().min(1), sectionSchema),
});

/**
 * `.kapso/repo_memory.json`, version 2. The outer keys are fixed; inside them unknown keys are kept as they are, for
 * models and later versions write there.
 */
export const repoMemorySchema = z.strictObject({
	schema_version: z.literal(2),
	generated_at: z.string(),
	baseline: z.looseObject({ initial_repo: z.string().nullish() }).default({}),
	repo_map: repoMapSchema,
	repo_model: z
		.looseObject({
			summary: z.string().default(''),
			entrypoints: z.array(z.json()).default([]),
			where_to_edit: z.array(z.json()).default([]),
			claims: z.array(z.json()).default([]),
		})
		.prefault({}),
	book: bookSchema,
	experiments: z.array(z.looseObject({ branch: z.string() })).default([]),
	quality: z.looseObject({}).default({}),
});
export type RepoMemory = z.output<typeof repoMemorySchema>;

/** Sections that every book may have, in reading order; others follow by id. */
export const coreSections = [
	'core.architecture',
	'core.entrypoints',
	'core.where_to_edit',
	'core.invariants',
	'core.testing',
	'core.gotchas',
	'core.dependencies',
] as const;
