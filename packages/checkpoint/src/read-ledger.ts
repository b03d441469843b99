import type { LedgerLine } from '@kapso-evolve/contracts';
import { ledgerCorrupt, ledgerMissing } from './ledger-error.ts';
import { ledgerGenesis, openSealedLine } from './ledger-line.ts';
import { readKept } from './read-kept.ts';

const lineBreak = 0x0a;

export interface LedgerContents {
	readonly lines: readonly LedgerLine[];
	/** SHA-256 of the last line; of the campaign id while there is none. */
	readonly head: string;
	/** Bytes after the last complete line: an append that a crash cut short, never acknowledged to anyone. */
	readonly tornBytes: number;
	readonly campaignId: string;
}

/**
 * Reads and proves a whole ledger without writing: each line's digest, form, number and predecessor. Throws
 * `LEDGER_MISSING` and `LEDGER_CORRUPT` (usage). Without `campaignId` the first line must be `opened` and name it.
 */
export async function readLedger({
	path,
	campaignId,
}: {
	readonly path: string;
	readonly campaignId?: string;
}): Promise<LedgerContents> {
	const bytes = await readKept(path);
	if (bytes === null) throw ledgerMissing(path, `There is no ledger at ${path}.`);
	return proveLedger(bytes, { path, campaignId });
}

/** The same for bytes that were read already. */
export function proveLedger(
	bytes: Buffer,
	{ path, campaignId }: { readonly path: string; readonly campaignId?: string | undefined },
): LedgerContents {
	const lines: LedgerLine[] = [];
	let campaign = campaignId;
	let head = campaign === undefined ? '' : ledgerGenesis(campaign);
	let start = 0;
	const refuse = (reason: string) => ledgerCorrupt({ path, seq: lines.length, byteOffset: start, reason });
	for (let end = bytes.indexOf(lineBreak); end !== -1; end = bytes.indexOf(lineBreak, start)) {
		const opened = openSealedLine(bytes.subarray(start, end));
		if ('reason' in opened) throw refuse(opened.reason);
		const { line } = opened;
		if (line.seq !== lines.length) throw refuse(`its number is ${line.seq}`);
		if (campaign === undefined) {
			const named = line.data.campaign_id;
			if (line.type !== 'opened' || typeof named !== 'string') throw refuse('it does not open a campaign');
			campaign = named;
			head = ledgerGenesis(campaign);
		}
		if (line.prev !== head) {
			throw refuse(
				line.seq === 0
					? `it does not belong to campaign ${campaign}`
					: 'the line before it is not the one that it was written after',
			);
		}
		head = line.sha256;
		lines.push(line);
		start = end + 1;
	}
	const torn = bytes.subarray(start);
	// A crash leaves the beginning of a line. A whole line and one byte more is a damaged line break.
	if (torn.length > 0 && 'line' in openSealedLine(torn.subarray(0, -1)))
		throw refuse('the line break after it is damaged');
	if (campaign === undefined) throw ledgerMissing(path, `The ledger ${path} holds no complete line.`);
	return { lines, head, tornBytes: torn.length, campaignId: campaign };
}
