import { sha256Schema } from '@kapso-evolve/contracts';
import { type Case, caseSchema, type Manifest, manifestSchema } from './manifest.ts';
import { digestOf, parseFile } from './parse-file.ts';
import { refusal } from './refusal.ts';

/** A manifest whose bytes are the ones that the caller's digest names. */
export interface VerifiedManifest {
	readonly manifest: Manifest;
	readonly manifestSha256: string;
	/** Always false, for every kind: a digest proves bytes, never who approved them. */
	readonly humanAuthorizationVerified: false;
}

export interface VerifyManifestOptions {
	/** Of the manifest file, as it is. */
	readonly bytes: Uint8Array;
	/** Held by the caller, independently of the dataset; never read from the dataset or its manifest. */
	readonly expectedSha256: string;
}

/**
 * Compares the caller's digest before a byte is interpreted, then reads the manifest (document 002). Throws `KapsoError`
 * (usage) with one of: `DATASET_PIN_FORMAT`, `DATASET_PIN_MISMATCH`, `DATASET_TOO_LARGE`, `DATASET_NOT_JSON`,
 * `DATASET_SHAPE`, `DATASET_DUPLICATE_CASE`, `DATASET_REVISION`.
 */
export function verifyManifest(options: VerifyManifestOptions): VerifiedManifest {
	const { bytes, expectedSha256 } = options;
	if (!sha256Schema.safeParse(expectedSha256).success) {
		throw refusal('DATASET_PIN_FORMAT', 'The expected digest is not a SHA-256 in 64 lower-case hexadecimal digits.');
	}
	const manifestSha256 = digestOf('The manifest', bytes);
	if (manifestSha256 !== expectedSha256) {
		throw refusal('DATASET_PIN_MISMATCH', `The manifest is ${manifestSha256}, not the expected ${expectedSha256}.`, {
			actual: manifestSha256,
			expected: expectedSha256,
		});
	}
	const manifest = parseFile('The manifest', bytes, manifestSchema);
	const twice = firstRepeated(manifest.cases.map((item) => item.id));
	if (twice !== null)
		throw refusal('DATASET_DUPLICATE_CASE', `The manifest lists the case ${twice} twice.`, { id: twice });
	if ((manifest.revision === 1) !== (manifest.previousManifestSha256 === null)) {
		throw refusal(
			'DATASET_REVISION',
			`Revision ${manifest.revision} ${manifest.revision === 1 ? 'must not' : 'must'} name a previous manifest.`,
			{ revision: manifest.revision },
		);
	}
	return { manifest, manifestSha256, humanAuthorizationVerified: false };
}

/**
 * One case of a verified manifest, from the bytes of its file. Throws `KapsoError` (usage): `DATASET_UNKNOWN_CASE`,
 * `DATASET_CASE_CHANGED` for bytes other than the pinned ones or another case's, and those of reading a file.
 */
export function verifyCase(verified: VerifiedManifest, id: string, bytes: Uint8Array): Case {
	const listed = verified.manifest.cases.find((item) => item.id === id);
	if (listed === undefined) throw refusal('DATASET_UNKNOWN_CASE', `The manifest lists no case ${id}.`, { id });
	const what = `The case ${id}`;
	if (digestOf(what, bytes) !== listed.sha256)
		throw refusal('DATASET_CASE_CHANGED', `${what} has other bytes.`, { id });
	const parsed = parseFile(what, bytes, caseSchema);
	if (parsed.id !== id) throw refusal('DATASET_CASE_CHANGED', `${what} calls itself ${parsed.id}.`, { id });
	return parsed;
}

function firstRepeated(ids: readonly string[]): string | null {
	const seen = new Set<string>();
	return ids.find((id) => seen.size === seen.add(id).size) ?? null;
}
