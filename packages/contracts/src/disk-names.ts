/**
 * Files on disk and YAML keys keep the documents' snake_case; code has camelCase. These two rename the keys of one
 * object and never look inside its values: names below the first level (metric names, say) belong to their owners.
 */
export function toDiskNames(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return renameKeys(value, (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function fromDiskNames(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return renameKeys(value, (key) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

function renameKeys(
	value: Readonly<Record<string, unknown>>,
	rename: (key: string) => string,
): Record<string, unknown> {
	return Object.fromEntries(Object.entries(value).map(([key, field]) => [rename(key), field]));
}
