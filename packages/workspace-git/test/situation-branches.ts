import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileContent, writeFiles } from '@kapso-evolve/testkit';
import type { Finalised, Workspace } from '../src/index.ts';
import type { Situation } from './situation.ts';

/** A candidate with these changes (null deletes) on top of a commit. */
export async function candidate(
	s: Situation,
	workspace: Workspace,
	o: {
		readonly branch: string;
		readonly files: Readonly<Record<string, FileContent | null>>;
		readonly parent?: string;
	},
): Promise<Extract<Finalised, { status: 'committed' }>> {
	const parentCommit = o.parent ?? workspace.mainCommit;
	const clone = await workspace.createAgentClone({ commit: parentCommit, folder: s.clone() });
	for (const [path, content] of Object.entries(o.files)) {
		await rm(join(clone.folder, path), { recursive: true, force: true });
		if (content !== null) await writeFiles(clone.folder, { [path]: content });
	}
	const finalised = await workspace.finalise({ clone, parentCommit, branch: o.branch, message: o.branch });
	if (finalised.status !== 'committed') throw new Error(`nothing changed: ${finalised.notes}`);
	await workspace.removeClone(clone);
	return finalised;
}
