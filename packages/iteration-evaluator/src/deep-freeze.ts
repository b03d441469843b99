/** Freezes JSON-like data all the way down, and gives it back. */
export function deepFreeze<T>(value: T): T {
	if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const field of Object.values(value)) deepFreeze(field);
	}
	return value;
}
