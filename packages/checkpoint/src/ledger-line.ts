import { canonicalJson, type LedgerLine, ledgerLineSchema, sha256 } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { openSealed, seal } from './seal.ts';

/** What JSON.parse made needs no second look at its data; the parsed line is used as it is, `__proto__` keys included. */
const sealedLineSchema = ledgerLineSchema.extend({ data: z.record(z.string(), z.unknown()) });

/** What line 0 names as its predecessor. */
export function ledgerGenesis(campaignId: string): string {
	return sha256(campaignId);
}

/** A line as it stands in the file, without the line break: fixed order of keys, no white space, keys of `data` sorted. */
export function sealLine(fields: Omit<LedgerLine, 'sha256'>): { readonly line: LedgerLine; readonly text: string } {
	const { text, digest } = seal(openText(fields));
	return { line: { ...fields, sha256: digest }, text };
}

/** The line in these bytes, or why they are none. Says nothing about its place in the chain. */
export function openSealedLine(bytes: Buffer): { readonly line: LedgerLine } | { readonly reason: string } {
	const open = openSealed(bytes);
	if (open === null) return { reason: 'its bytes do not end with their SHA-256' };
	const fields = parseJson(bytes.toString('utf8'));
	if (fields === undefined) return { reason: 'it is not JSON' };
	const parsed = sealedLineSchema.safeParse(fields);
	if (!parsed.success) {
		const issue = parsed.error.issues[0]!;
		return { reason: `${issue.path.join('.') || 'line'}: ${issue.message}` };
	}
	// White space, another order or a doubled key would leave the same data under another digest.
	const line = fields as LedgerLine;
	if (!isWrittenAs(line, open)) return { reason: 'it is not written in the form of a ledger line' };
	return { line };
}

function isWrittenAs(line: LedgerLine, open: Buffer): boolean {
	try {
		return Buffer.from(openText(line)).equals(open);
	} catch {
		return false; // A number beyond JSON's reach (1e999), or nesting beyond ours: no writer of this format.
	}
}

function openText({ v, seq, prev, time, type, slice, node_id, attempt, data }: Omit<LedgerLine, 'sha256'>): string {
	const head = JSON.stringify({ v, seq, prev, time, type, slice, node_id, attempt });
	return `${head.slice(0, -1)},"data":${canonicalJson(data)}`;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// The one thing that JSON.parse throws is a SyntaxError.
		return undefined;
	}
}
