import { KapsoError } from '@kapso-evolve/contracts';
import type { HashedEntry } from '@kapso-evolve/durable-fs';
import type { Ending } from './evaluation-record.ts';
import { differingPaths } from './snapshot-check.ts';
import type { DataSnapshot, Suite } from './suite.ts';
import { contentDigest, treeStamp } from './tree-stamp.ts';

/** Data larger than this are read again only when their stamp has changed: 64 MiB take about 0.2 s to hash. */
const alwaysHashedBytes = 64 * 2 ** 20;

/**
 * Before each scoring: are the snapshots, and the mounts that are part of the digest, still the captured bytes? Null
 * when they are.
 */
export async function snapshotFault(suite: Suite, data: DataSnapshot | null): Promise<Ending | null> {
	const [ofSuite, ofData, mount] = await Promise.all([
		differences(suite.root, suite.entries),
		data === null || (await isLargeAndUntouched(data)) ? null : differences(data.root, data.entries),
		changedMount(suite),
	]);
	if (ofSuite !== null) return fault('SUITE_SNAPSHOT_CHANGED', suite.root, ofSuite);
	if (data !== null && ofData !== null) return fault('DATA_SNAPSHOT_CHANGED', data.root, ofData);
	return mount === null ? null : fault('MOUNT_CHANGED', mount, []);
}

async function isLargeAndUntouched(data: DataSnapshot): Promise<boolean> {
	if (data.stamp === undefined) return false;
	const bytes = data.entries.reduce((sum, entry) => sum + entry.size, 0);
	return bytes > alwaysHashedBytes && (await treeStamp(data.root).catch(() => '')) === data.stamp;
}

async function changedMount(suite: Suite): Promise<string | null> {
	for (const { path, sha256, stamp } of suite.mounts) {
		if ((await treeStamp(path).catch(() => '')) === stamp) continue;
		if ((await contentDigest(path).catch(() => '')) !== sha256) return path;
	}
	return null;
}

/**
 * After a scoring without a sandbox: did the scorer’s copy of the suite stay what it was? New files are the
 * interpreter's own caches and harm nothing; provided ones that changed mean that something rewrote the evaluator.
 */
export async function alteredCopy(copy: string, suite: Suite): Promise<Ending | null> {
	const paths = await differences(copy, suite.entries);
	const provided = new Set(suite.entries.map((entry) => entry.path));
	const altered = paths?.filter((path) => provided.has(path)) ?? [];
	if (paths === null || (altered.length === 0 && !paths.includes(''))) return null;
	return {
		outcome: 'invalid',
		code: 'SUITE_COPY_CHANGED',
		error: `the suite was changed while it scored: ${altered.slice(0, 20).join(', ')}`,
	};
}

/** A folder that cannot be hashed any more (gone, a link in it) differs as a whole: the empty path. */
async function differences(folder: string, entries: readonly HashedEntry[]): Promise<readonly string[] | null> {
	try {
		return await differingPaths(folder, entries);
	} catch (thrown) {
		if (KapsoError.isInstance(thrown) || (thrown as NodeJS.ErrnoException).code === 'ENOENT') return [''];
		throw thrown;
	}
}

function fault(code: string, folder: string, paths: readonly string[]): Ending {
	const named = paths.filter((path) => path !== '').slice(0, 20);
	return {
		outcome: 'infrastructure',
		code,
		error: `${folder} is no longer what was captured${named.length > 0 ? `: ${named.join(', ')}` : ''}`,
	};
}
