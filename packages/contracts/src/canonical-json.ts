import { createHash } from 'node:crypto';

/**
 * JSON with object keys sorted by code unit and no white space (in the spirit of RFC 8785, for data without numbers
 * that need its number rules): equal data, equal bytes. Throws a TypeError on a non-finite number.
 */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, field: unknown) => {
		if (typeof field === 'number' && !Number.isFinite(field)) throw new TypeError(`not a JSON number: ${field}`);
		if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
		return Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
	});
}

/** SHA-256 in lower-case hexadecimal digits. */
export function sha256(bytes: string | Uint8Array): string {
	return createHash('sha256').update(bytes).digest('hex');
}
