import { KapsoError, sha256 } from '@kapso-evolve/contracts';
import { describe, expect, it } from 'vitest';
import {
	caseSchema,
	datasetJsonSchemas,
	type Manifest,
	maxFileBytes,
	type RefusalCode,
	type VerifiedManifest,
	verifyCase,
	verifyManifest,
	verifyRevision,
} from '../src/index.ts';

const bytesOf = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const caseBytes = (id: string, changes: object = {}): Buffer =>
	bytesOf({ id, input: { text: id }, label: 'HOLD', stratum: 'short', labelOrigin: 'author', ...changes });
const listed = (id: string, bytes = caseBytes(id)) => ({ id, sha256: sha256(bytes) });

const first: Manifest = {
	schemaVersion: 1,
	datasetId: 'reviews',
	kind: 'human-reviewed',
	revision: 1,
	previousManifestSha256: null,
	recallFloors: { HOLD: 0.9, PASS: 0.5 },
	cases: [listed('a'), listed('b')],
};
/** A manifest under a digest that its holder computed from these very bytes. */
const pinned = (manifest: object): VerifiedManifest =>
	verifyManifest({ bytes: bytesOf(manifest), expectedSha256: sha256(bytesOf(manifest)) });
const prior = pinned(first);
const second: Manifest = {
	...first,
	revision: 2,
	previousManifestSha256: prior.manifestSha256,
	cases: [...first.cases, listed('c')],
};

function refusalOf(act: () => unknown): RefusalCode {
	try {
		act();
	} catch (thrown) {
		if (!KapsoError.isInstance(thrown)) throw thrown;
		expect(thrown.category).toBe('usage');
		return thrown.code as RefusalCode;
	}
	throw new Error('nothing was refused');
}

describe('verifyManifest', () => {
	it('accepts the bytes that the caller’s digest names, and verifies no human for any kind [PD01, PD03, PD28]', () => {
		expect(pinned(first)).toEqual({
			manifest: first,
			manifestSha256: sha256(bytesOf(first)),
			humanAuthorizationVerified: false,
		});
		expect(pinned({ ...first, kind: 'synthetic' }).humanAuthorizationVerified).toBe(false);
	});

	it.each(['', 'abc', sha256('x').toUpperCase(), `sha256:${sha256('x')}`, null])(
		'refuses %j for a digest before looking at anything [PD04]',
		(expected) => {
			expect(refusalOf(() => verifyManifest({ bytes: bytesOf(first), expectedSha256: expected as string }))).toBe(
				'DATASET_PIN_FORMAT',
			);
		},
	);

	it('refuses other bytes before it reads them, one blank included [PD01, PD03]', () => {
		const expectedSha256 = sha256(bytesOf(first));
		for (const bytes of [bytesOf(`${JSON.stringify(first)} `), bytesOf('not JSON at all'), Buffer.alloc(0)]) {
			expect(refusalOf(() => verifyManifest({ bytes, expectedSha256 }))).toBe('DATASET_PIN_MISMATCH');
		}
	});

	it('takes no digest from the dataset itself [PD02]', () => {
		const own = { ...first, manifestSha256: sha256(bytesOf(first)) };
		expect(refusalOf(() => pinned(own))).toBe('DATASET_SHAPE');
	});

	it.each<[string, object | string, RefusalCode]>([
		['text that is not JSON', 'revision: 1', 'DATASET_NOT_JSON'],
		['a byte order mark', `\uFEFF${JSON.stringify(first)}`, 'DATASET_NOT_JSON'],
		['another shape [PD07]', { ...first, cases: 'all' }, 'DATASET_SHAPE'],
		['an unknown key [PD07]', { ...first, approvedBy: 'me' }, 'DATASET_SHAPE'],
		['a floor above one', { ...first, recallFloors: { HOLD: 1.1 } }, 'DATASET_SHAPE'],
		['no case', { ...first, cases: [] }, 'DATASET_SHAPE'],
		['an id that leaves the folder [PD15]', { ...first, cases: [{ ...listed('a'), id: '../a' }] }, 'DATASET_SHAPE'],
		['an id twice [PD05]', { ...first, cases: [listed('a'), listed('b'), listed('a')] }, 'DATASET_DUPLICATE_CASE'],
		['revision 1 with a predecessor [PD06]', { ...first, previousManifestSha256: sha256('x') }, 'DATASET_REVISION'],
		['revision 2 without one [PD06]', { ...first, revision: 2 }, 'DATASET_REVISION'],
		['revision 0', { ...first, revision: 0 }, 'DATASET_SHAPE'],
	])('refuses the right bytes with %s', (_, manifest, code) => {
		const bytes = bytesOf(manifest);
		expect(refusalOf(() => verifyManifest({ bytes, expectedSha256: sha256(bytes) }))).toBe(code);
	});

	it('refuses bytes that are not UTF-8 and files beyond a MiB [PD12]', () => {
		const latin1 = Buffer.from('{"datasetId": "caf\xe9"}', 'latin1');
		expect(refusalOf(() => verifyManifest({ bytes: latin1, expectedSha256: sha256(latin1) }))).toBe('DATASET_NOT_JSON');
		const large = Buffer.alloc(maxFileBytes + 1, ' ');
		expect(refusalOf(() => verifyManifest({ bytes: large, expectedSha256: sha256(large) }))).toBe('DATASET_TOO_LARGE');
	});
});

describe('verifyCase', () => {
	it('gives the case whose bytes the manifest pins [PD10, PD11]', () => {
		expect(verifyCase(prior, 'a', caseBytes('a'))).toEqual(caseSchema.parse(JSON.parse(String(caseBytes('a')))));
	});

	it.each([
		['label', { label: 'PASS' }],
		['input', { input: 'easier' }],
		['stratum', { stratum: 'long' }],
		['origin', { labelOrigin: 'someone' }],
	])('refuses a replaced %s [PD24, PD29]', (_, changes) => {
		expect(refusalOf(() => verifyCase(prior, 'a', caseBytes('a', changes)))).toBe('DATASET_CASE_CHANGED');
	});

	it('refuses a case under another’s name, one of another shape, and one that is not listed', () => {
		const swapped = pinned({ ...first, cases: [{ id: 'a', sha256: sha256(caseBytes('b')) }] });
		expect(refusalOf(() => verifyCase(swapped, 'a', caseBytes('b')))).toBe('DATASET_CASE_CHANGED');
		const odd = bytesOf({ id: 'a' });
		const oddly = pinned({ ...first, cases: [listed('a', odd)] });
		expect(refusalOf(() => verifyCase(oddly, 'a', odd))).toBe('DATASET_SHAPE');
		expect(refusalOf(() => verifyCase(prior, 'z', caseBytes('z')))).toBe('DATASET_UNKNOWN_CASE');
	});
});

describe('verifyRevision', () => {
	it('accepts a first revision alone and a second that only adds [PD17, PD21, PD23]', () => {
		expect(verifyRevision(null, prior)).toBeUndefined();
		expect(verifyRevision(prior, pinned(second))).toBeUndefined();
	});

	it('is not misled by floors in another order: the same floors are the same [PD22]', () => {
		expect(verifyRevision(prior, pinned({ ...second, recallFloors: { PASS: 0.5, HOLD: 0.9 } }))).toBeUndefined();
	});

	const [a, b, c] = second.cases as [Manifest['cases'][0], Manifest['cases'][0], Manifest['cases'][0]];
	const relabelled = listed('a', caseBytes('a', { label: 'PASS' }));
	it.each<[string, object, RefusalCode]>([
		['a changed id [PD24]', { cases: [{ ...a, id: 'a2' }, b, c] }, 'DATASET_APPROVED_CASE'],
		[
			'a changed case, hashed again and pinned again [PD24, PD25]',
			{ cases: [relabelled, b, c] },
			'DATASET_APPROVED_CASE',
		],
		['a deleted case [PD24]', { cases: [b, c, listed('d')] }, 'DATASET_APPROVED_CASE'],
		['the last cases cut off [PD24]', { cases: [a] }, 'DATASET_APPROVED_CASE'],
		['another order [PD23, PD24]', { cases: [b, a, c] }, 'DATASET_APPROVED_CASE'],
		['a case put in between [PD23]', { cases: [a, c, b] }, 'DATASET_APPROVED_CASE'],
		['nothing added [PD23]', { cases: [a, b] }, 'DATASET_NOTHING_ADDED'],
		['a moved floor [PD22, PD24]', { recallFloors: { HOLD: 0.8, PASS: 0.5 } }, 'DATASET_IDENTITY'],
		['a floor less [PD22]', { recallFloors: { HOLD: 0.9 } }, 'DATASET_IDENTITY'],
		['another kind [PD22]', { kind: 'synthetic' }, 'DATASET_IDENTITY'],
		['another dataset [PD22]', { datasetId: 'others' }, 'DATASET_IDENTITY'],
		['a skipped revision [PD21]', { revision: 3 }, 'DATASET_REVISION_STEP'],
		['another predecessor [PD19]', { previousManifestSha256: sha256('x') }, 'DATASET_PREDECESSOR'],
	])('refuses %s', (_, changes, code) => {
		expect(refusalOf(() => verifyRevision(prior, pinned({ ...second, ...changes })))).toBe(code);
	});

	it('refuses a first revision with something before it, and a later one with nothing [PD18, PD19]', () => {
		expect(refusalOf(() => verifyRevision(prior, prior))).toBe('DATASET_PRIOR_UNEXPECTED');
		expect(refusalOf(() => verifyRevision(null, pinned(second)))).toBe('DATASET_PRIOR_MISSING');
	});

	it('names every changed part of the identity at once [PD22]', () => {
		const next = pinned({ ...second, kind: 'synthetic', datasetId: 'others' });
		expect(() => verifyRevision(prior, next)).toThrow('A revision changes datasetId, kind.');
	});
});

it('exports JSON Schemas that refuse unknown keys too', () => {
	const { manifest, case: one } = datasetJsonSchemas();
	expect(manifest).toMatchObject({
		type: 'object',
		additionalProperties: false,
		required: expect.arrayContaining([
			'datasetId',
			'kind',
			'revision',
			'previousManifestSha256',
			'recallFloors',
			'cases',
		]),
	});
	expect(one).toMatchObject({
		required: ['id', 'input', 'label', 'stratum', 'labelOrigin'],
		additionalProperties: false,
	});
	expect(() => JSON.stringify([manifest, one])).not.toThrow();
});
