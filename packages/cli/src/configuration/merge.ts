/** A value together with the layer that it came from, kept for saying where a problem stands. */
export type Origins = Map<string, number>;

/**
 * Later layers win: mappings merge key by key, lists and scalars replace. Where each value stood is noted by its path
 * as JSON, so that a problem found after merging still has a line.
 */
export function mergeLayers(layers: readonly unknown[]): { merged: Record<string, unknown>; origins: Origins } {
	const origins: Origins = new Map();
	let merged: unknown = {};
	for (const [index, layer] of layers.entries()) merged = merge(merged, layer, [], index, origins);
	return { merged: merged as Record<string, unknown>, origins };
}

function merge(below: unknown, above: unknown, path: readonly string[], layer: number, origins: Origins): unknown {
	origins.set(JSON.stringify(path), layer);
	if (!isMapping(above)) return above;
	// Built from entries, so that a key named __proto__ is a key like every other: unknown, and refused later.
	const fields = new Map<string, unknown>(isMapping(below) ? Object.entries(below) : []);
	for (const [key, value] of Object.entries(above))
		fields.set(key, merge(fields.get(key), value, [...path, key], layer, origins));
	return Object.fromEntries(fields);
}

export function isMapping(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
