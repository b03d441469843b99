import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Last word on attributes: whatever `.gitattributes` a tree carries, bytes go in and come out unchanged, no filter or
 * driver runs, and a diff is shown as text where it is text.
 */
export const attributesFile = '* -text !eol -filter -ident -working-tree-encoding !diff !merge\n';

/** Our ignore rules: in the repository's private folder, never in a file of the user's. */
export const excludeRules: readonly string[] = ['/.kapso/*', '!/.kapso/repo_memory.json', '__pycache__/', '*.pyc'];

export const excludeFile = `${excludeRules.join('\n')}\n`;

/** The files that make a folder a Git directory; the rest of what `git init` writes is decoration. */
export async function writeGitDir(
	gitDir: string,
	o: { readonly branch: string; readonly bare: boolean; readonly objectFormat: string; readonly settings?: string },
): Promise<void> {
	const extension = o.objectFormat === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${o.objectFormat}\n`;
	const core = `\trepositoryformatversion = ${extension === '' ? 0 : 1}\n\tfilemode = true\n\tbare = ${o.bare}\n`;
	for (const folder of ['info', 'objects/info', 'refs/heads']) await mkdir(join(gitDir, folder), { recursive: true });
	await writeFile(join(gitDir, 'config'), `[core]\n${core}\tlogallrefupdates = true\n${extension}${o.settings ?? ''}`);
	await writeFile(join(gitDir, 'info', 'exclude'), excludeFile);
	await writeFile(join(gitDir, 'info', 'attributes'), attributesFile);
	if (o.branch !== '') await writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${o.branch}\n`);
}

/** The one file below `.kapso/` that travels with branches. */
export const memoryPath = '.kapso/repo_memory.json';
