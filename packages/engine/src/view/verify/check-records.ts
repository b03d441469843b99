import { join } from 'node:path';
import { openRecords } from '@kapso-evolve/checkpoint';
import { type LedgerLine, stateFolder } from '@kapso-evolve/contracts';
import type { ReadCampaign } from '../read-campaign.ts';
import { type Problem, problemOf } from './problem.ts';

/** Fields of a ledger line that name a record by its SHA-256. */
const recordFields = ['transcript', 'report', 'diff', 'ignored', 'evaluation'] as const;

/** Every record that the ledger names is there, byte for byte: those of lost attempts and of the baseline too. */
export async function checkRecords(folder: string, { lines }: ReadCampaign): Promise<Problem[]> {
	const records = openRecords(join(folder, stateFolder, 'records'));
	const problems: Problem[] = [];
	for (const line of lines) {
		for (const field of recordFields.filter((name) => isDigest(line, name))) {
			const place = { nodeId: line.node_id, attempt: line.attempt ?? 1, sha256: line.data[field] as string };
			await records.read(place).catch((error: unknown) => {
				problems.push(problemOf('RECORD', error, `${field} of ledger line ${line.seq}`));
			});
		}
	}
	return problems;
}

function isDigest(line: LedgerLine, field: string): boolean {
	return line.type !== 'recorded' && /^[0-9a-f]{64}$/.test(String(line.data[field]));
}
