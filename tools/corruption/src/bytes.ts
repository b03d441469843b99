import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadRunState, readLedger } from '@kapso-evolve/checkpoint';
import { KapsoError } from '@kapso-evolve/contracts';

export interface ByteReport {
	flips: number;
	flipsMissed: number;
	cuts: number;
	cutsMissed: number;
}

/** Every byte of the two files flipped, every length of the ledger's last line and of the state: each is noticed. */
export async function tryBytes(options: { readonly state: string; readonly scratch: string }): Promise<ByteReport> {
	const report: ByteReport = { flips: 0, flipsMissed: 0, cuts: 0, cutsMissed: 0 };
	const path = join(options.scratch, 'file');
	const files = [
		{
			bytes: await readFile(join(options.state, 'ledger.jsonl')),
			read: async () => (await readLedger({ path })).lines,
		},
		{ bytes: await readFile(join(options.state, 'run_state.json')), read: async () => [await loadRunState(path)] },
	];
	for (const { bytes, read } of files) {
		for (let at = 0; at < bytes.length; at++) {
			const flipped = Buffer.from(bytes);
			flipped[at] = flipped[at]! ^ (1 << (at % 8));
			await writeFile(path, flipped);
			report.flips += 1;
			if ((await linesOrNull(read)) !== null) report.flipsMissed += 1;
		}
	}
	const [ledger, runState] = files as [(typeof files)[0], (typeof files)[1]];
	const lastLine = ledger.bytes.lastIndexOf('\n', ledger.bytes.length - 2) + 1;
	const linesBefore = ledger.bytes.subarray(0, lastLine).toString().split('\n').length - 1;
	for (let length = lastLine; length < ledger.bytes.length; length++) {
		await writeFile(path, ledger.bytes.subarray(0, length));
		report.cuts += 1;
		if ((await linesOrNull(ledger.read)) !== linesBefore) report.cutsMissed += 1;
	}
	for (let length = 0; length < runState.bytes.length; length++) {
		await writeFile(path, runState.bytes.subarray(0, length));
		report.cuts += 1;
		if ((await linesOrNull(runState.read)) !== null) report.cutsMissed += 1;
	}
	return report;
}

/** How many lines were read; null when that was refused by name. */
async function linesOrNull(read: () => Promise<readonly unknown[]>): Promise<number | null> {
	try {
		return (await read()).length;
	} catch (error) {
		if (!KapsoError.isInstance(error)) throw error;
		return null;
	}
}
