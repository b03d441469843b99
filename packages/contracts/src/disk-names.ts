/**
 * Files on disk and YAML keys keep the documents' snake_case; code has camelCase. These two rename the keys of one
 * object and never look inside its values: names below the first level (metric names, say) belong to their owners.
 */
export function toDiskNames(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return renameKeys(value, diskName);
}

export function fromDiskNames(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return renameKeys(value, codeName);
}

const diskName = remembering((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const codeName = remembering((key) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));

function renameKeys(
	value: Readonly<Record<string, unknown>>,
	rename: (key: string) => string,
): Record<string, unknown> {
	return Object.fromEntries(Object.entries(value).map(([key, field]) => [rename(key), field]));
}

/** The few names of our formats come by the million; names that strangers invent are not kept. */
function remembering(rename: (key: string) => string, most = 500): (key: string) => string {
	const known = new Map<string, string>();
	return (key) => {
		const found = known.get(key);
		if (found !== undefined) return found;
		const renamed = rename(key);
		if (known.size < most) known.set(key, renamed);
		return renamed;
	};
}
