import {
	type Clock,
	describeThrown,
	KapsoError,
	type LedgerEntry,
	type LedgerLine,
	ledgerTypeSchema,
	systemClock,
} from '@kapso-evolve/contracts';
import { openAppendLog } from '@kapso-evolve/durable-fs';
import { findNonJson } from './json-data.ts';
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
	 * Resolves when the line is on the disk. Appends of one process queue up in the order of their calls. After a failed
	 * append nothing more is taken (`LEDGER_BROKEN`): open the ledger again, which proves it again.
	 * Throws `LEDGER_DATA` (usage) for data that is not plain, finite JSON.
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
	const found = await readLedger({ path, campaignId }).catch((thrown: unknown) => {
		if (KapsoError.isInstance(thrown) && thrown.code === 'LEDGER_MISSING') return null;
		throw thrown;
	});
	const lines = [...(found?.lines ?? [])];
	let head = found?.head ?? ledgerGenesis(campaignId);
	const log = await openAppendLog(path);
	let queue: Promise<unknown> = Promise.resolve();
	let failure: unknown;

	async function appendNow({ type, nodeId, attempt, data }: LedgerEntry): Promise<LedgerLine> {
		if (failure !== undefined) throw brokenLedger(path, failure);
		const { line, text } = sealLine({
			v: 1,
			seq: lines.length,
			prev: head,
			time: clock.now().toISOString(),
			type,
			slice,
			node_id: nodeId,
			attempt,
			data: data as LedgerLine['data'],
		});
		try {
			await log.append(text);
		} catch (thrown) {
			failure = thrown;
			throw thrown;
		}
		head = line.sha256;
		lines.push(line);
		return line;
	}

	return {
		lines,
		get head() {
			return head;
		},
		tornBytes: found?.tornBytes ?? 0,
		async append(entry) {
			const problem = findEntryProblem(entry);
			if (problem !== null) throw badEntry(problem);
			// The caller's object may change while the append waits for its turn.
			const copy = structuredClone(entry);
			const appended = queue.then(() => appendNow(copy));
			queue = appended.catch(() => undefined); // The caller of that append hears of it.
			return appended;
		},
		async close() {
			await queue;
			await log.close();
		},
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

function brokenLedger(path: string, cause: unknown): KapsoError {
	return new KapsoError({
		code: 'LEDGER_BROKEN',
		category: 'infrastructure',
		message: `The ledger ${path} takes no more lines since an append failed (${describeThrown(cause)}).`,
		hint: 'What was acknowledged is on the disk. Clear the cause (space, permissions, the disk), then resume.',
		data: { path },
		cause,
	});
}
