import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { CandidateTree } from '@kapso-evolve/contracts';

/** Writes a tree's files into an empty folder. Links that lead out of it are left out: no evaluation may follow them. */
export async function writeTree(options: {
	readonly tree: CandidateTree;
	readonly to: string;
	readonly exclude: (path: string) => boolean;
}): Promise<void> {
	const folders = new Set<string>();
	for (const entry of await options.tree.entries()) {
		if (options.exclude(entry.path) || entry.type === 'gitlink') continue;
		const target = join(options.to, entry.path);
		const folder = dirname(target);
		if (!folders.has(folder)) {
			await mkdir(folder, { recursive: true });
			folders.add(folder);
		}
		const bytes = await options.tree.read(entry.path);
		if (entry.type === 'file')
			await writeFile(target, bytes, { mode: entry.mode === '100755' ? 0o755 : 0o644, flag: 'wx' });
		else if (staysInside(entry.path, Buffer.from(bytes).toString('utf8'))) await symlink(Buffer.from(bytes), target);
	}
}

function staysInside(path: string, target: string): boolean {
	if (target === '' || posix.isAbsolute(target)) return false;
	const resolved = posix.normalize(posix.join(posix.dirname(path), target));
	return resolved !== '..' && !resolved.startsWith('../');
}
