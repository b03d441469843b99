import type { VerificationReport } from '@kapso-evolve/engine';
import { z } from 'zod';
import { schemaVersion } from './common.ts';

/** `verify --json`. */
export const verifyDocumentSchema = z.strictObject({
	schema_version: schemaVersion,
	ok: z.boolean(),
	/** True when `--head` was given and is the ledger's: without it a chain proves nothing against its own owner. */
	anchored: z.boolean(),
	lines: z.int().min(0),
	candidates: z.int().min(0),
	problems: z.array(z.strictObject({ code: z.string(), message: z.string() })),
	not_proven: z.array(z.string()),
});
export type VerifyDocument = z.output<typeof verifyDocumentSchema>;

export function verifyDocument(report: VerificationReport): VerifyDocument {
	return {
		schema_version: 1,
		ok: report.ok,
		anchored: report.anchored,
		lines: report.lines,
		candidates: report.candidates,
		problems: report.problems.map(({ code, message }) => ({ code, message })),
		not_proven: [...report.notProven],
	};
}
