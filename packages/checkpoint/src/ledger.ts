import {
	type Clock,
	KapsoError,
	type LedgerEntry,
	type LedgerLine,
	ledgerTypeSchema,
	systemClock,
} from '@kapso-evolve/contracts';
import { openAppendLog } from '@kapso-evolve/durable-fs';
import { findNonJson } from './json-data.ts';
import { ledgerNotWritable } from './ledger-error.ts';
import { ledgerGenesis, sealLine } from './ledger-line.ts';
import { readLedger } from './read-ledger.ts';

/** The campaign's log: what is in it happened, in this order. One writer, which holds the campaign's lock. */
export interface Ledger {
	/** Everything so far, appended lines included. */
	readonly lines: readonly LedgerLine[];
	/** SHA-256 of the last line; of the campaign id while there is none. */
	readonly head: string;
	/** Bytes of an unfinished line that opening cut off; worth a `repaired` line. */
	readonly tornBytes: number;
	/**
	 * Resolves when the line is on the disk; lines keep the order of the calls. Throws `LEDGER_DATA` (usage) for data
	 * that is not plain, finite JSON, and `WRITE_FAILED` (infrastructure), after which no more lines are taken: open the
	 * ledger again, which proves it again.
	 */
	append(entry: LedgerEntry): Promise<LedgerLine>;
	/** Waits for appends under way. */
	close(): Promise<void>;
}

export interface LedgerOptions {
	readonly path: string;
	readonly campaignId: string;
	readonly clock?: Clock;
	/** Number of this run of the engine over the campaign, from 0; stands in every line that it writes. */
	readonly slice: number;
}

/**
 * Proves what is there, cuts off a torn last line, and opens for appending; a missing file becomes an empty ledger (who
 * must find one calls `readLedger`). Throws `LEDGER_CORRUPT` (usage) before anything is touched.
 */
export async function openLedger({ path, campaignId, clock = systemClock, slice }: LedgerOptions): Promise<Ledger> {
	if (!Number.isSafeInteger(slice) || slice < 0) throw badEntry(`slice is ${slice}`);
	const found = await readLedger({ path, campaignId }).catch((thrown: unknown) => {
		if (KapsoError.isInstance(thrown) && thrown.code === 'LEDGER_MISSING') return null;
		throw thrown;
	});
	const lines = [...(found?.lines ?? [])];
	let head = found?.head ?? ledgerGenesis(campaignId);
	const log = await openAppendLog(path).catch((thrown: unknown) => {
		throw KapsoError.isInstance(thrown) ? thrown : ledgerNotWritable(path, thrown as NodeJS.ErrnoException);
	});
	/** The end of the chain with appends under way; when one of those fails, the log takes none of the later ones. */
	let next = { seq: lines.length, prev: head };

	return {
		lines,
		get head() {
			return head;
		},
		tornBytes: found?.tornBytes ?? 0,
		async append(entry) {
			const problem = findEntryProblem(entry);
			if (problem !== null) throw badEntry(problem);
			const { type, nodeId, attempt, data } = entry;
			const time = clock.now().toISOString();
			const { line, text } = sealLine({
				...{ v: 1, ...next, time, type, slice },
				...{ node_id: nodeId, attempt, data: structuredClone(data) as LedgerLine['data'] },
			});
			next = { seq: line.seq + 1, prev: line.sha256 };
			await log.append(text);
			head = line.sha256;
			lines.push(line);
			return line;
		},
		close: () => log.close(),
	};
}

function findEntryProblem({ type, nodeId, attempt, data }: LedgerEntry): string | null {
	if (!ledgerTypeSchema.safeParse(type).success) return `type ${type} is unknown`;
	if (nodeId !== null && !(Number.isSafeInteger(nodeId) && nodeId >= 0)) return `nodeId is ${nodeId}`;
	if (attempt !== null && !(Number.isSafeInteger(attempt) && attempt >= 1)) return `attempt is ${attempt}`;
	return findNonJson(data, 'data');
}

function badEntry(problem: string): KapsoError {
	return new KapsoError({
		code: 'LEDGER_DATA',
		category: 'usage',
		message: `This cannot be written to the ledger: ${problem}.`,
		hint: 'Nothing was written. Give plain JSON data with finite numbers; write null for what is not known.',
		data: { problem },
	});
}
