import { mkdir, rename, rm } from 'node:fs/promises';
import { copyTree, type HashedEntry } from '@kapso-evolve/durable-fs';

/** A folder for scratch work: nothing in it has to survive, so nothing is synced. */
export async function makeFolder(path: string): Promise<void> {
	await mkdir(path, { recursive: true });
}

/** Copies a tree beside its place and then puts it there, so that no half of a snapshot ever stands under its name. */
export async function replaceTree(options: {
	readonly from: string;
	readonly to: string;
}): Promise<{ readonly entries: readonly HashedEntry[]; readonly digest: string }> {
	const partial = `${options.to}.partial`;
	await rm(partial, { recursive: true, force: true });
	const copied = await copyTree({ from: options.from, to: partial });
	await rm(options.to, { recursive: true, force: true });
	await rename(partial, options.to);
	return copied;
}
