import { join } from 'node:path';
import { createIsomorphicReader } from '@kapso-evolve/workspace-git';
import { bareGit } from './bare-git.ts';
import { type Bench, limitFrom5000 } from './bench.ts';
import { milliseconds, pair, type Row, rounded } from './row.ts';

const mostBlobs = 2000;

/** The same blobs through our port, through a bare `git cat-file --batch` and through the reader without git. */
export async function measureReaders({ workspace, plain, files, rounds, commits }: Bench): Promise<Row[]> {
	const entries = (await workspace.objects.listTree(commits[1])).slice(0, mostBlobs);
	const ids = entries.map(({ id }) => id);
	const read = (reader: { readBlob(id: string): Promise<Buffer> }) => Promise.all(ids.map((id) => reader.readBlob(id)));
	const port = await pair(
		rounds,
		() => milliseconds(() => read(workspace.objects)),
		() => milliseconds(() => bareGit(plain, ['cat-file', '--batch', '--buffer'], { input: `${ids.join('\n')}\n` })),
	);
	const isomorphic = await createIsomorphicReader({ gitDir: join(workspace.root, '.git') });
	const beside = await pair(
		Math.min(rounds, 3),
		() => milliseconds(() => read(workspace.objects)),
		() => milliseconds(() => read(isomorphic)),
	);
	await isomorphic.close();
	return [
		{ files, what: 'read blobs, cat-file port | git cat-file --batch', ...port, limit: null, blobs: ids.length },
		{
			files,
			what: 'read blobs, cat-file port | isomorphic-git',
			ours_ms: beside.ours_ms,
			git_ms: null,
			isomorphic_ms: beside.git_ms,
			ratio: rounded(beside.ratio!),
			limit: limitFrom5000(files, 1),
			blobs: ids.length,
		},
	];
}
