import { fromDiskNames, type SearchNode, searchNodeSchema } from '@kapso-evolve/contracts';

/** The node in a record; fields that came after it was written have their empty defaults. Throws zod's error. */
export function decodeNode(record: Readonly<Record<string, unknown>>): SearchNode {
	return searchNodeSchema.parse(fromDiskNames(record));
}
