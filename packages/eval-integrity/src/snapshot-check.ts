import { canonicalJson, KapsoError, sha256 } from '@kapso-evolve/contracts';
import { type HashedEntry, hashTree } from '@kapso-evolve/durable-fs';
import { type DataSnapshot, isSuite, type Suite } from './suite.ts';

/** Paths whose bytes, mode or presence differ from what was captured; null when nothing does. */
export async function differingPaths(
	folder: string,
	captured: readonly HashedEntry[],
): Promise<readonly string[] | null> {
	const { entries, digest } = await hashTree(folder);
	if (digest === treeDigest(captured)) return null;
	const before = new Map(captured.map((entry) => [entry.path, entry]));
	const changed = entries.filter(({ path, mode, sha256: bytes }) => {
		const known = before.get(path);
		before.delete(path);
		return known?.sha256 !== bytes || known.mode !== mode;
	});
	return [...changed.map((entry) => entry.path), ...before.keys()].sort();
}

function treeDigest(entries: readonly HashedEntry[]): string {
	return sha256(canonicalJson(entries.map(({ path, mode, sha256: bytes }) => ({ path, mode, sha256: bytes }))));
}

/**
 * Is the caller's own folder still what was captured? Throws `SUITE_CHANGED` or `DATA_CHANGED` (usage), so that a
 * campaign never ends with numbers whose source has moved on unnoticed (TAMPER T094).
 */
export async function recheckSource(captured: Suite | DataSnapshot): Promise<void> {
	const noun = isSuite(captured) ? 'suite' : 'data';
	let paths: readonly string[] | null;
	let cause: unknown;
	try {
		paths = await differingPaths(captured.source, captured.entries);
	} catch (thrown) {
		[paths, cause] = [[], thrown];
	}
	if (paths === null) return;
	const names = paths.length > 0 ? `: ${paths.slice(0, 20).join(', ')}${paths.length > 20 ? ', …' : ''}` : '';
	throw new KapsoError({
		code: isSuite(captured) ? 'SUITE_CHANGED' : 'DATA_CHANGED',
		category: 'usage',
		message: `the ${noun} folder ${captured.source} is no longer what was captured${names}`,
		hint: 'Scores were made with the snapshot and stay true of it. Restore the folder, or start a campaign with the new one.',
		data: { folder: captured.source, paths, digest: captured.digest },
		cause,
	});
}
