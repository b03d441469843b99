import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import type { Repository } from './repository.ts';

/** Packs smaller than this become loose objects, as with a fetch: thousands of tiny packs make a repository slow. */
const unpackLimit = 100;

/**
 * Moves commits from the scratch repository into the campaign, with everything they need that the campaign does not
 * have. As a pack through a file: checked object by object (fsck), synced, and of no size in our memory. Throws
 * `CANDIDATE_REJECTED` when an object does not pass.
 */
export async function ingestCommits(
	repository: Repository,
	options: { readonly commits: readonly string[]; readonly known: readonly string[] },
): Promise<void> {
	const { git, gitDir, scratch } = repository;
	const revisions = [...options.commits, ...options.known.map((commit) => `^${commit}`)].join('\n');
	const prefix = join(scratch.folder, 'ingest');
	const name = await git.line(['pack-objects', '--quiet', '--revs', '--delta-base-offset', '--window=0', prefix], {
		gitDir: scratch.gitDir,
		durable: false,
		stdin: `${revisions}\n`,
	});
	const pack = `${prefix}-${name}.pack`;
	try {
		const argv =
			(await objectCount(pack)) < unpackLimit
				? ['unpack-objects', '-q', '--strict']
				: ['index-pack', '--stdin', '--strict', '--fix-thin'];
		const answer = await git.run(argv, { gitDir, stdinFile: pack });
		if (answer.exitCode !== 0) {
			throw new KapsoError({
				code: 'CANDIDATE_REJECTED',
				category: 'verdict',
				message: `Git refuses the candidate's objects: ${answer.stderr.trim()}`,
				hint: 'The folder that the agent worked in is kept as it is.',
				data: { paths: [], git: answer.stderr.trim() },
			});
		}
	} finally {
		for (const end of ['.pack', '.idx', '.rev']) await rm(`${prefix}-${name}${end}`, { force: true });
	}
}

/** A pack says how many objects it has in bytes 8 to 11. */
async function objectCount(pack: string): Promise<number> {
	const file = await open(pack, 'r');
	try {
		const header = Buffer.alloc(12);
		await file.read(header, 0, 12, 0);
		return header.readUInt32BE(8);
	} finally {
		await file.close();
	}
}
