import { KapsoError } from '@kapso-evolve/contracts';

/** Why evidence was refused. Programs compare these. */
export type RefusalCode =
	| 'DATASET_PIN_FORMAT'
	| 'DATASET_PIN_MISMATCH'
	| 'DATASET_TOO_LARGE'
	| 'DATASET_NOT_JSON'
	| 'DATASET_SHAPE'
	| 'DATASET_DUPLICATE_CASE'
	| 'DATASET_REVISION'
	| 'DATASET_UNKNOWN_CASE'
	| 'DATASET_CASE_CHANGED'
	| 'DATASET_PRIOR_UNEXPECTED'
	| 'DATASET_PRIOR_MISSING'
	| 'DATASET_PREDECESSOR'
	| 'DATASET_REVISION_STEP'
	| 'DATASET_IDENTITY'
	| 'DATASET_APPROVED_CASE'
	| 'DATASET_NOTHING_ADDED'
	| 'DATASET_REDIRECTED'
	| 'DATASET_MOVED';

/** Evidence that does not hold is usage (exit 2): nothing was scored. */
export function refusal(code: RefusalCode, message: string, data: Record<string, unknown> = {}): KapsoError {
	return new KapsoError({
		code,
		category: 'usage',
		message,
		hint: 'Nothing was scored. Compare the files with the revision that you approved, and the digest that you hold.',
		data,
	});
}
