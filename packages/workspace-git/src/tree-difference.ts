import { type PathBytes, splitNul } from './git/path-bytes.ts';
import type { Repository } from './repository.ts';

export interface ChangedPath {
	readonly path: PathBytes;
	/** Mode and blob on each side; mode `000000` where the side has no such path. */
	readonly from: { readonly mode: string; readonly id: string };
	readonly to: { readonly mode: string; readonly id: string };
}

/** Every path in which two commits (or trees) differ, without guessing renames. */
export async function treeDifference(repository: Repository, from: string, to: string): Promise<ChangedPath[]> {
	const output = await repository.git.ok(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to], {
		gitDir: repository.scratch.gitDir,
		durable: false,
	});
	const fields = splitNul(output);
	const changes: ChangedPath[] = [];
	for (let at = 0; at + 1 < fields.length; at += 2) {
		const [fromMode = '', toMode = '', fromId = '', toId = ''] = fields[at]!.slice(1).split(' ');
		changes.push({ path: fields[at + 1]!, from: { mode: fromMode, id: fromId }, to: { mode: toMode, id: toId } });
	}
	return changes;
}

export function isAbsent(side: { readonly mode: string }): boolean {
	return /^0+$/.test(side.mode);
}
