import { join } from 'node:path';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import { openAppendLog, readCompleteLines } from '@kapso-evolve/durable-fs';
import type { Envelope } from './signature.ts';

/** `.kapso/signatures.jsonl`: one envelope a line, for the ledger line whose number stands in its payload. */
const signaturesPath = (folder: string) => join(folder, stateFolder, 'signatures.jsonl');

export async function appendSignature(folder: string, envelope: Envelope): Promise<void> {
	const log = await openAppendLog(signaturesPath(folder));
	try {
		await log.append(JSON.stringify(envelope));
	} finally {
		await log.close();
	}
}

/** The envelopes by the number of the line that they claim to vouch for; what cannot be read vouches for nothing. */
export async function readSignatures(folder: string): Promise<ReadonlyMap<number, unknown>> {
	const found = new Map<number, unknown>();
	let lines: readonly string[];
	try {
		({ lines } = await readCompleteLines(signaturesPath(folder)));
	} catch (error) {
		if (KapsoError.isInstance(error) || (error as NodeJS.ErrnoException).code === 'ENOENT') return found;
		throw error;
	}
	for (const line of lines) {
		try {
			const envelope = JSON.parse(line) as { payload: string };
			const { seq } = JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')) as { seq: number };
			found.set(seq, envelope);
		} catch {
			// A line that is no envelope is as good as none; its ledger line then counts as unsigned.
		}
	}
	return found;
}
