const deepest = 200;

/**
 * Where a value is not plain JSON data, and why, as `data.scores[2] is NaN`; null when it is. `JSON.stringify` would
 * write null for a NaN and leave out an undefined, and what is read back would not be what was said.
 */
export function findNonJson(value: unknown, name: string): string | null {
	const found = find(value, 0);
	return found === null ? null : `${name}${found}`;
}

/** Frozen objects in which nothing was found: a node is looked through once, not with every save. */
const proven = new WeakSet<object>();

/** Paths are put together on the way back only: nearly always there is none. */
function find(value: unknown, depth: number): string | null {
	if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
	if (typeof value === 'number') return Number.isFinite(value) ? null : ` is ${value}`;
	if (typeof value !== 'object') return ` is ${value === undefined ? 'undefined' : `a ${typeof value}`}`;
	if (proven.has(value)) return null;
	if (depth === deepest) return ` is nested deeper than ${deepest} levels`;
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) {
			const found = find(value[index], depth + 1);
			if (found !== null) return `[${index}]${found}`;
		}
		return null;
	}
	const prototype = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null) return ' is no plain object';
	for (const [key, field] of Object.entries(value)) {
		const found = find(field, depth + 1);
		if (found !== null) return `.${key}${found}`;
	}
	if (Object.isFrozen(value)) proven.add(value);
	return null;
}
