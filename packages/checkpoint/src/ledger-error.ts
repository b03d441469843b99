import { dirname } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';

/** `LEDGER_CORRUPT` (usage): `data.seq` and `data.byteOffset` say where, `data.reason` what. */
export function ledgerCorrupt(where: {
	readonly path: string;
	readonly seq: number;
	readonly byteOffset: number;
	readonly reason: string;
}): KapsoError {
	const { path, seq, byteOffset, reason } = where;
	return new KapsoError({
		code: 'LEDGER_CORRUPT',
		category: 'usage',
		message: `The ledger ${path} is damaged at line ${seq} (byte ${byteOffset}): ${reason}.`,
		hint: `Nothing was changed. The ${seq} lines before it are whole. Keep a copy of the file, restore it from a backup, then "kapso-evolve verify ${dirname(dirname(path))}".`,
		data: where,
	});
}

/** `LEDGER_MISSING` (usage): no ledger, or none with a complete line. */
export function ledgerMissing(path: string, message: string): KapsoError {
	return new KapsoError({
		code: 'LEDGER_MISSING',
		category: 'usage',
		message,
		hint: 'Nothing was created. A campaign without its ledger can be looked at, and neither resumed nor verified: restore the file from a backup.',
		data: { path },
	});
}

/** `WRITE_FAILED` (infrastructure): the file could not be opened for appending. */
export function ledgerNotWritable(path: string, cause: NodeJS.ErrnoException): KapsoError {
	return new KapsoError({
		code: 'WRITE_FAILED',
		category: 'infrastructure',
		message: `The ledger ${path} could not be opened for writing: ${cause.message}`,
		hint: 'Nothing was changed. Correct the rights of the file and its folder, or look after the disk, then resume.',
		data: { path, errno: cause.code ?? null },
		cause,
	});
}
