import { toDiskNames } from './disk-names.ts';
import type { SearchNode } from './node.ts';

/** A node never changes, so its record is made once, however often a campaign saves. */
const records = new WeakMap<SearchNode, Readonly<Record<string, unknown>>>();

/** A node with its names on disk, frozen: whoever needs another record makes one. */
export function encodeNode(node: SearchNode): Readonly<Record<string, unknown>> {
	const made = records.get(node) ?? Object.freeze(toDiskNames(node));
	records.set(node, made);
	return made;
}
