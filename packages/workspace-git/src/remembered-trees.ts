import type { GitObjectReader, TreeObjectEntry } from './object-reader.ts';

/** A candidate is listed to be digested, verified and written out, one after the other: four listings are kept. */
const mostKept = 4;

/** An id says what it lists for ever, so a listing that is known need not be asked for again. */
export function rememberTrees(reader: GitObjectReader): GitObjectReader {
	const known = new Map<string, Promise<readonly TreeObjectEntry[]>>();
	return {
		...reader,
		listTree(id) {
			const listing = known.get(id) ?? reader.listTree(id);
			// Behind the others: the one that was not asked for longest goes first.
			known.delete(id);
			known.set(id, listing);
			listing.catch(() => known.delete(id)); // whoever asked hears of it; the next one asks again
			if (known.size > mostKept) known.delete(known.keys().next().value!);
			return listing;
		},
	};
}
