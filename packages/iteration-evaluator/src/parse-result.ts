import { z } from 'zod';
import type { ExternalEvaluation, JsonValue } from './evaluator.ts';

const maxDepth = 64;
const shape = 'The iteration evaluator must return { metrics, primaryMetric?, metadata? }';

const metricSchema = z.custom<number>(
	(value) => typeof value === 'number' && Number.isFinite(value),
	'must be finite and numeric',
);
const nameSchema = z.string().refine((name) => name.trim() !== '', 'must be a non-empty string');
const metadataSchema = z.custom<Readonly<Record<string, JsonValue>>>(
	(value) => isPlainObject(value) && isJson(value, 0),
	'must be JSON compatible with string keys',
);

const resultSchema = z
	.strictObject({
		metrics: z.record(nameSchema, metricSchema),
		primaryMetric: z.string().nullish(),
		metadata: metadataSchema.optional(),
	})
	.superRefine((result, context) => {
		if (typeof result.primaryMetric === 'string' && !Object.hasOwn(result.metrics, result.primaryMetric)) {
			context.addIssue({
				code: 'custom',
				path: ['primaryMetric'],
				message: `must name one of the returned metrics, not ${JSON.stringify(result.primaryMetric)}`,
			});
		}
	});

/**
 * The result contract of document 003; throws a TypeError that names every problem. What comes back went through JSON
 * once, so that it equals what a later process will read.
 */
export function parseResult(value: unknown): Omit<ExternalEvaluation, 'error'> {
	if (!isPlainObject(value) || !('metrics' in value)) throw new TypeError(`${shape}, not ${describe(value)}`);
	const parsed = resultSchema.safeParse(value);
	if (!parsed.success) throw new TypeError(`${shape}: ${issues(parsed.error)}`);
	const { metrics, primaryMetric = null, metadata = {} } = parsed.data;
	return roundTrip({ metrics, primaryMetric, metadata });
}

function roundTrip<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}

function issues(error: z.ZodError): string {
	return error.issues.map((issue) => `${issue.path.map(String).join('.')} ${issue.message}`.trim()).join('; ');
}

function describe(value: unknown): string {
	if (value === null || typeof value !== 'object') return value === undefined ? 'undefined' : `a ${typeof value}`;
	return isPlainObject(value) ? `an object of ${Object.keys(value).join(', ') || 'nothing'}` : 'another object';
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (typeof value !== 'object' || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

/** Strict: what `JSON.stringify` would drop, call or turn into null is not JSON; nor is what has no end. */
function isJson(value: unknown, depth: number): boolean {
	if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
	if (typeof value === 'number') return Number.isFinite(value);
	if (depth >= maxDepth) return false;
	// not `every`: it skips the holes of an array
	if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, depth + 1));
	if (!isPlainObject(value)) return false;
	return Reflect.ownKeys(value).every((key) => typeof key === 'string' && isJson(value[key], depth + 1));
}
