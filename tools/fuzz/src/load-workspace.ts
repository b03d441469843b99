import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plant } from './plants.ts';

export type WorkspaceModule = typeof import('@kapso-evolve/workspace-git');

export const workspacePackage = fileURLToPath(new URL('../../../packages/workspace-git', import.meta.url));

/**
 * The workspace's source, or a copy of it with one protection taken out. The copy lies in `folder`; the package itself
 * has no switch that could be thrown. Throws when the protection is not where the plant looks for it.
 */
export async function prepareWorkspace(plant: Plant | null, folder: string): Promise<string> {
	if (plant === null) return pathToFileURL(join(workspacePackage, 'src', 'index.ts')).href;
	const copy = await mkdtemp(join(folder, 'planted-'));
	await cp(join(workspacePackage, 'src'), join(copy, 'src'), { recursive: true });
	await writeFile(join(copy, 'package.json'), '{"type":"module"}');
	await symlink(join(workspacePackage, 'node_modules'), join(copy, 'node_modules'));
	for (const { file, find, replace } of plant.edits) {
		const path = join(copy, 'src', file);
		const parts = (await readFile(path, 'utf8')).split(find);
		if (parts.length !== 2) throw new Error(`${plant.name}: ${file} has the protection ${parts.length - 1} times`);
		await writeFile(path, parts.join(replace));
	}
	return pathToFileURL(join(copy, 'src', 'index.ts')).href;
}
