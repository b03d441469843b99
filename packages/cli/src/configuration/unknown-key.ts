import { nearestName } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { settingsSchema } from './settings.ts';

/** `unknown key budget.time_buget_minutes; did you mean time_budget_minutes?` */
export function unknownKeyMessage(path: readonly PropertyKey[], key: string, known = keysAt(path)): string {
	const nearest = nearestName(key, known);
	const name = JSON.stringify([...path, key].join('.'));
	if (nearest !== null) return `unknown key ${name}; did you mean ${nearest}?`;
	return `unknown key ${name}${known.length === 0 ? '' : `; known here: ${known.join(', ')}`}`;
}

/** Names that a mapping of the settings may have, read off the schema so that they cannot drift. */
function keysAt(path: readonly PropertyKey[]): string[] {
	let schema: z.ZodType | undefined = settingsSchema;
	for (const step of path) {
		const object: z.ZodType | undefined = unwrap(schema);
		if (object instanceof z.ZodObject) schema = object.shape[String(step)] as z.ZodType | undefined;
		else if (object instanceof z.ZodArray) schema = object.element as z.ZodType;
		else return [];
	}
	const object = unwrap(schema);
	return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
	let inner = schema;
	while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault)
		inner = inner.unwrap() as z.ZodType;
	return inner;
}
