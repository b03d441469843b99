import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sha256 } from '@kapso-evolve/contracts';
import { readBounded } from '@kapso-evolve/durable-fs';
import { type Case, maxFileBytes } from './manifest.ts';
import { refusal } from './refusal.ts';
import { type VerifiedManifest, verifyCase, verifyManifest } from './verify-manifest.ts';

/** Bytes of the manifest and the selected cases together at most. */
export const maxDatasetBytes = 64 * 1024 * 1024;

export interface CaptureDatasetOptions {
	/** Holds `manifest.json` and `cases/<id>.json`: an absolute path without a link in it. */
	readonly folder: string;
	/** Held by the caller, independently of the dataset. */
	readonly expectedSha256: string;
	/** Which cases are read; all of them when left out. The others are neither read nor judged. */
	readonly select?: (id: string) => boolean;
	/** Called between the capture and the second look at every captured file. */
	readonly beforeRecheck?: () => Promise<void>;
}

export interface Dataset extends VerifiedManifest {
	/** In the manifest's order. */
	readonly cases: readonly Case[];
}

/**
 * Reads a dataset from its folder: regular files with one name, no link followed in the folder or below it, bounded
 * in size, all of them read a second time at the end. Throws the refusals of `verifyManifest` and `verifyCase`,
 * `DATASET_REDIRECTED`, `DATASET_MOVED` for a file that changed meanwhile, and `FILE_…` of reading (all usage).
 */
export async function captureDataset(options: CaptureDatasetOptions): Promise<Dataset> {
	const { folder, expectedSha256, select = () => true, beforeRecheck } = options;
	const captured = new Map<string, string>();
	let total = 0;
	const capture = async (path: string): Promise<Buffer> => {
		const bytes = await readFileOf(folder, path);
		total += bytes.length;
		if (total > maxDatasetBytes) {
			throw refusal('DATASET_TOO_LARGE', `The selected cases have more than ${maxDatasetBytes} bytes.`);
		}
		captured.set(path, sha256(bytes));
		return bytes;
	};

	const verified = verifyManifest({ bytes: await capture('manifest.json'), expectedSha256 });
	const cases: Case[] = [];
	for (const { id } of verified.manifest.cases) {
		if (select(id)) cases.push(verifyCase(verified, id, await capture(`cases/${id}.json`)));
	}
	await beforeRecheck?.();
	for (const [path, digest] of captured) {
		if (sha256(await readFileOf(folder, path)) === digest) continue;
		throw refusal('DATASET_MOVED', `${path} changed while the dataset was read.`, { path });
	}
	return { ...verified, cases };
}

/** The last part of a path is guarded by the reader; here every folder on the way is what its name says. */
async function readFileOf(folder: string, path: string): Promise<Buffer> {
	const file = resolve(folder, path);
	const parent = join(file, '..');
	if ((await realpath(parent).catch(() => parent)) !== parent) {
		throw refusal('DATASET_REDIRECTED', `${parent} is reached through a link.`, { path });
	}
	return readBounded(file, { maxBytes: maxFileBytes, singleLink: true });
}
