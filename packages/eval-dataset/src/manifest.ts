import { sha256Schema } from '@kapso-evolve/contracts';
import { z } from 'zod';

/** Bytes of one file at most: the manifest, or one case. */
export const maxFileBytes = 1024 * 1024;

/** An id is also the name of its file, `cases/<id>.json`: lower-case, nothing that a path could mean otherwise. */
const caseIdSchema = z
	.string()
	.regex(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'must be lower-case letters, digits, dots, dashes and underscores');

/** The index of one revision of a dataset: which cases, in which order, and what a run has to reach. */
export const manifestSchema = z.strictObject({
	schemaVersion: z.literal(1),
	datasetId: z.string().min(1),
	/** What the dataset says about the origin of its labels. A declaration: it proves nothing about a person. */
	kind: z.enum(['synthetic', 'human-reviewed']),
	revision: z.int().min(1),
	/** SHA-256 of the bytes of the previous revision's manifest; null for revision 1 and only there. */
	previousManifestSha256: sha256Schema.nullable(),
	/** The recall that each label has to reach. */
	recallFloors: z.record(z.string().min(1), z.number().min(0).max(1)),
	cases: z
		.array(z.strictObject({ id: caseIdSchema, /** Of the bytes of the case's file. */ sha256: sha256Schema }))
		.min(1),
});
export type Manifest = z.output<typeof manifestSchema>;

/** One case: the bytes of its file are what the manifest's hash covers. */
export const caseSchema = z.strictObject({
	id: caseIdSchema,
	input: z.json(),
	/** The label that the input should get. */
	label: z.string().min(1),
	/** The group that the case belongs to. */
	stratum: z.string().min(1),
	/** Where the label came from. A marker authenticates nobody. */
	labelOrigin: z.string().min(1),
});
export type Case = z.output<typeof caseSchema>;

/** JSON Schema 2020-12 of both files. */
export function datasetJsonSchemas(): { readonly manifest: object; readonly case: object } {
	return { manifest: z.toJSONSchema(manifestSchema), case: z.toJSONSchema(caseSchema) };
}
