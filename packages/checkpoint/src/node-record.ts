import { fromDiskNames, type SearchNode, searchNodeSchema, toDiskNames } from '@kapso-evolve/contracts';

/** A node with its names on disk. */
export function encodeNode(node: SearchNode): Record<string, unknown> {
	return toDiskNames(node);
}

/** The node in a record; fields that came after it was written have their empty defaults. Throws zod's error. */
export function decodeNode(record: Readonly<Record<string, unknown>>): SearchNode {
	return searchNodeSchema.parse(fromDiskNames(record));
}
