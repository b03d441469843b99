import { describeThrown, encodeNode, KapsoError, type SearchNode } from '@kapso-evolve/contracts';
import { writeFileDurable } from '@kapso-evolve/durable-fs';
import { decodeNode } from './node-record.ts';
import { readKept } from './read-kept.ts';
import { recordText } from './record-text.ts';

/** One JSON array, a record a line, in the given order. Derived data: the ledger can make it again. */
export async function saveHistory(path: string, nodes: readonly SearchNode[]): Promise<void> {
	const records = nodes.map((node) => recordText(encodeNode(node)));
	await writeFileDurable(path, records.length === 0 ? '[]\n' : `[\n${records.join(',\n')}\n]\n`, { mode: 0o600 });
}

/** No file is an empty history. Throws `HISTORY_CORRUPT` (usage) for one that is there and is none. */
export async function loadHistory(path: string): Promise<SearchNode[]> {
	const bytes = await readKept(path);
	if (bytes === null) return [];
	try {
		const records: unknown = JSON.parse(bytes.toString('utf8'));
		if (!Array.isArray(records)) throw new TypeError('the history is not an array');
		return records.map(decodeNode);
	} catch (thrown) {
		throw new KapsoError({
			code: 'HISTORY_CORRUPT',
			category: 'usage',
			message: `Could not read the experiment history ${path}: ${describeThrown(thrown)}.`,
			hint: 'The file is derived from the ledger: the next resume writes it anew. Nothing else is affected.',
			data: { path },
			cause: thrown,
		});
	}
}
