/** A frozen record is final, with everything in it: its text is made once, not with every save. */
const texts = new WeakMap<object, string>();

/** `JSON.stringify` of an object of lists of records: the cost is that of the records not seen before. */
export function jsonOfRecords(value: Readonly<Record<string, unknown>>): string {
	const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${fieldText(field)}`);
	return `{${fields.join(',')}}`;
}

export function recordText(record: object): string {
	const known = texts.get(record);
	if (known !== undefined) return known;
	const text = JSON.stringify(record);
	if (Object.isFrozen(record)) texts.set(record, text);
	return text;
}

function fieldText(field: unknown): string {
	if (!Array.isArray(field)) return JSON.stringify(field);
	return `[${field.map((item) => (isObject(item) ? recordText(item) : JSON.stringify(item))).join(',')}]`;
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
