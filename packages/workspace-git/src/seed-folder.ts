import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { asText, display } from './git/path-bytes.ts';
import type { Repository } from './repository.ts';
import { looksLikeSecret, seedError } from './seed.ts';
import { snapshotFolder } from './snapshot.ts';
import { linkProblem } from './tree-policy.ts';

/** The tree of a plain folder, its ignore rules honoured, no `.git` taken; the folder itself is only read. */
export async function snapshotSeedFolder(
	repository: Repository,
	o: { readonly folder: string; readonly allowSecrets: boolean; readonly signal?: AbortSignal | undefined },
): Promise<string> {
	const snapshot = await snapshotFolder({
		git: repository.git,
		gitDir: repository.scratch.gitDir,
		folder: o.folder,
		base: null,
		indexFile: join(repository.scratch.folder, 'seed-index'),
		...(o.signal === undefined ? {} : { signal: o.signal }),
	}).catch((error: unknown) => {
		if (!KapsoError.isInstance(error) || error.code !== 'CANDIDATE_REJECTED') throw error;
		throw seedError('SEED_PATHS', error.message, 'Rename or ignore (.gitignore) what is named.', error.data);
	});
	const files = snapshot.entries.map(({ path, mode, id }) => ({ path: display(path), mode, id }));
	refuseSecrets(
		files.map(({ path }) => path),
		o.allowSecrets,
	);
	for (const { path, mode, id } of files) {
		if (mode !== '120000') continue;
		const target = asText((await repository.objects.readBlob(id)).toString('latin1'));
		const problem = target === null ? 'a link to a name that is not UTF-8' : linkProblem(path, target);
		const real = await realpath(join(o.folder, path)).catch(() => null); // dangling
		const root = await realpath(o.folder);
		const reason =
			problem ?? (real === null ? 'a dangling link' : real.startsWith(root + sep) ? null : 'a link that leaves');
		if (reason !== null) {
			throw seedError('SEED_LINK', `${path} in the seed is ${reason}`, 'Replace the link by a file, or ignore it.', {
				paths: [path],
			});
		}
	}
	return snapshot.tree;
}

export function refuseSecrets(paths: readonly string[], allowed: boolean): void {
	const secrets = allowed ? [] : paths.filter(looksLikeSecret);
	if (secrets.length === 0) return;
	throw seedError(
		'SEED_SECRETS',
		`these files of the seed look like secrets: ${secrets.slice(0, 10).join(', ')}`,
		'Name them in .gitignore, or say that they may be taken (allowSecrets).',
		{ paths: secrets },
	);
}
