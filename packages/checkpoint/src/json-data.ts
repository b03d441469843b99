const deepest = 200;

/**
 * Where a value is not plain JSON data, and why, as `data.scores[2] is NaN`; null when it is. `JSON.stringify` would
 * write null for a NaN and leave out an undefined, and what is read back would not be what was said.
 */
export function findNonJson(value: unknown, at: string, depth = 0): string | null {
	if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
	if (typeof value === 'number') return Number.isFinite(value) ? null : `${at} is ${value}`;
	if (typeof value !== 'object') return `${at} is ${value === undefined ? 'undefined' : `a ${typeof value}`}`;
	if (depth === deepest) return `${at} is nested deeper than ${deepest} levels`;
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) {
			const found = findNonJson(value[index], `${at}[${index}]`, depth + 1);
			if (found !== null) return found;
		}
		return null;
	}
	const prototype = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null) return `${at} is no plain object`;
	for (const key of Object.keys(value)) {
		const found = findNonJson((value as Record<string, unknown>)[key], `${at}.${key}`, depth + 1);
		if (found !== null) return found;
	}
	return null;
}
