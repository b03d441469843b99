import { z } from 'zod';
import { sha256Schema } from './vocabulary.ts';

/** Kinds of ledger line (CONTRACTS 5). */
export const ledgerTypeSchema = z.enum([
	'opened',
	'slice',
	'lock',
	'intent',
	'agent',
	'finalised',
	'memory',
	'integrity',
	'evaluated',
	'feedback',
	'external',
	'recorded',
	'cost',
	'confirmed',
	'stopped',
	'repaired',
	'rescored',
]);
export type LedgerType = z.infer<typeof ledgerTypeSchema>;

/** One line of `ledger.jsonl`, keys in this order; `sha256` is over the line's bytes before `,"sha256"`. */
export const ledgerLineSchema = z.strictObject({
	v: z.literal(1),
	seq: z.int().min(0),
	prev: sha256Schema,
	time: z.string(),
	type: ledgerTypeSchema,
	slice: z.int().min(0),
	node_id: z.int().min(0).nullable(),
	attempt: z.int().min(1).nullable(),
	data: z.record(z.string(), z.json()),
	sha256: sha256Schema,
});
export type LedgerLine = z.output<typeof ledgerLineSchema>;
/** What a writer says; sequence, chain, time and slice are the ledger's. */
export interface LedgerEntry {
	readonly type: LedgerType;
	readonly nodeId: number | null;
	readonly attempt: number | null;
	readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Names left out, at every depth, when two ledgers of the same seed are compared (CONTRACTS 5, and the measured memory
 * that evidence added); every `*_ms` as well.
 */
export const volatileLedgerFields = ['time', 'pid', 'prev', 'sha256', 'peak_memory_bytes'] as const;
