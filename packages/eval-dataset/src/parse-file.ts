import { sha256 } from '@kapso-evolve/contracts';
import type { z } from 'zod';
import { maxFileBytes } from './manifest.ts';
import { refusal } from './refusal.ts';

/** JSON of one bounded file by its schema; `what` is the file in the words of a message. */
export function parseFile<Schema extends z.ZodType>(what: string, bytes: Uint8Array, schema: Schema): z.output<Schema> {
	let value: unknown;
	try {
		// a byte order mark is no JSON and stays in, so that it is refused
		value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
	} catch {
		throw refusal('DATASET_NOT_JSON', `${what} is not JSON in UTF-8.`);
	}
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
	throw refusal('DATASET_SHAPE', `${what} has another shape: ${problems.join('; ')}.`, { problems });
}

/** SHA-256 of bytes that are not too many. */
export function digestOf(what: string, bytes: Uint8Array): string {
	if (bytes.length > maxFileBytes) {
		throw refusal('DATASET_TOO_LARGE', `${what} has ${bytes.length} bytes, more than ${maxFileBytes}.`);
	}
	return sha256(bytes);
}
