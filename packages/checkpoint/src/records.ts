import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KapsoError, sha256 } from '@kapso-evolve/contracts';
import { createFileDurable, ensureFolder } from '@kapso-evolve/durable-fs';
import { folderGone, isFolder } from './folder-gone.ts';
import { readFailed, readKept } from './read-kept.ts';

/** Whose record it is: an attempt at a node; `null` is the baseline, which is no node. */
export interface RecordPlace {
	readonly nodeId: number | null;
	readonly attempt: number;
}

/** Immutable files in `records/<node>/<attempt>/<name>-<sha256>`, named in a node by their digest. */
export interface Records {
	/** Gives the SHA-256 when the bytes are on the disk. Putting the same bytes again changes nothing. */
	put(record: RecordPlace & { readonly name: string; readonly bytes: string | Uint8Array }): Promise<string>;
	/** The bytes, if they are still those. Throws `RECORD_MISSING` and `RECORD_CORRUPT` (usage). */
	read(record: RecordPlace & { readonly sha256: string }): Promise<Buffer>;
	path(record: RecordPlace & { readonly name: string; readonly sha256: string }): string;
}

/** Nothing is created before the first `put`. */
export function openRecords(folder: string): Records {
	const placeOf = ({ nodeId, attempt }: RecordPlace) => join(folder, String(nodeId ?? 'baseline'), String(attempt));
	const pathOf: Records['path'] = ({ name, sha256: digest, ...place }) => join(placeOf(place), `${name}-${digest}`);
	return {
		path: pathOf,
		async put({ name, bytes, ...place }) {
			refuseName(name);
			const digest = sha256(bytes);
			const path = pathOf({ ...place, name, sha256: digest });
			// A campaign that was moved away meanwhile is not begun again in its old place.
			if (!(await isFolder(dirname(folder)))) throw folderGone(dirname(folder));
			await ensureFolder(placeOf(place));
			try {
				await createFileDurable(path, bytes);
			} catch (thrown) {
				if (!KapsoError.isInstance(thrown) || thrown.code !== 'FILE_EXISTS') throw thrown;
				await readProven(path, digest);
			}
			return digest;
		},
		async read({ sha256: digest, ...place }) {
			const entry = (await namesIn(placeOf(place))).find((each) => each.endsWith(`-${digest}`));
			if (entry === undefined) throw missingRecord(placeOf(place), digest);
			return readProven(join(placeOf(place), entry), digest);
		},
	};
}

async function readProven(path: string, digest: string): Promise<Buffer> {
	const bytes = await readKept(path);
	if (bytes === null) throw missingRecord(dirname(path), digest);
	const found = sha256(bytes);
	if (found === digest) return bytes;
	throw new KapsoError({
		code: 'RECORD_CORRUPT',
		category: 'usage',
		message: `The record ${path} has the SHA-256 ${found}, which is not the one in its name.`,
		hint: 'It was left as it is. Restore it from a backup; scores do not depend on it, their proof does.',
		data: { path, recorded: digest, found },
	});
}

async function namesIn(folder: string): Promise<string[]> {
	try {
		return (await readdir(folder)).sort();
	} catch (thrown) {
		const cause = thrown as NodeJS.ErrnoException;
		if (cause.code === 'ENOENT') return [];
		throw readFailed(folder, cause);
	}
}

function missingRecord(folder: string, digest: string): KapsoError {
	return new KapsoError({
		code: 'RECORD_MISSING',
		category: 'usage',
		message: `No record with the SHA-256 ${digest} is in ${folder}.`,
		hint: 'Restore the folder from a backup; scores do not depend on it, their proof does.',
		data: { folder, sha256: digest },
	});
}

function refuseName(name: string): void {
	if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name)) throw new TypeError(`a record cannot be named ${JSON.stringify(name)}`);
}
