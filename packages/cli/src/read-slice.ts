import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLedger } from '@kapso-evolve/checkpoint';
import { stateFolder } from '@kapso-evolve/contracts';

/** What the files say of the last call of `evolve` or `resume`, and of what stands in the folder. */
export interface SliceView {
	readonly resumed: boolean;
	/** Iterations recorded since the last call began. */
	readonly iterations: number;
	/** Branch that is checked out; null when none is or it cannot be told. */
	readonly checkedOut: string | null;
}

export async function readSlice(folder: string, o: { readonly hasLedger: boolean }): Promise<SliceView> {
	if (!o.hasLedger) return { resumed: false, iterations: 0, checkedOut: await checkedOutBranch(folder) };
	const { lines } = await readLedger({ path: join(folder, stateFolder, 'ledger.jsonl') });
	const slices = lines.filter((line) => line.type === 'slice').map((line) => line.slice);
	const last = slices.at(-1);
	const recorded = lines.filter((line) => line.type === 'recorded' && line.slice === last);
	return {
		resumed: slices.length > 1,
		iterations: new Set(recorded.map((line) => (line.data.node as { iteration?: unknown }).iteration)).size,
		checkedOut: await checkedOutBranch(folder),
	};
}

/** `HEAD` read as the file that it is: nothing of the repository is started for looking. */
async function checkedOutBranch(folder: string): Promise<string | null> {
	try {
		const head = await readFile(join(folder, '.git', 'HEAD'), 'utf8');
		return /^ref: refs\/heads\/(.+)\n?$/.exec(head)?.[1] ?? null;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
		throw error;
	}
}
