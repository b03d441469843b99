import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';

/** What is wrong with a folder that a caller gave; the code is `<SUITE or DATA>_<fault>`. */
type Fault = 'MISSING' | 'EMPTY' | 'LINK' | 'ENTRY_KIND' | 'IS_REPOSITORY' | 'CONTAINS_OUTPUT';

/**
 * Refuses a folder that cannot be a suite (or a data set) before anything is created: missing, without a file, a link
 * anywhere, something that is neither file nor folder, a Git repository, a name that is not UTF-8 (document 000).
 * Gives the absolute path.
 */
export async function surveyFolder(from: string, noun: 'SUITE' | 'DATA', output?: string): Promise<string> {
	const root = resolve(from);
	const named = noun === 'SUITE' ? 'the evaluation suite' : 'the data folder';
	const refuse = (fault: Fault, message: string, hint: string, path = root): KapsoError =>
		new KapsoError({
			code: `${noun}_${fault}`,
			category: 'usage',
			message: `${named} ${root}: ${message}`,
			hint: `${hint} Nothing was created.`,
			data: { folder: root, path },
		});

	const stat = await lstat(root).catch((thrown: NodeJS.ErrnoException) => {
		if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
		throw thrown;
	});
	if (stat === null) throw refuse('MISSING', 'does not exist', 'Give the path of an existing folder.');
	if (stat.isSymbolicLink()) throw refuse('LINK', 'is a symbolic link', 'Give the folder that it points to.');
	if (!stat.isDirectory()) throw refuse('MISSING', 'is not a folder', 'Give the folder that holds the files.');

	if (output !== undefined && `${resolve(output)}/`.startsWith(`${root}/`)) {
		throw refuse(
			'CONTAINS_OUTPUT',
			`holds ${output}, which is about to be written`,
			'Choose an output folder outside of it.',
		);
	}

	let files = 0;
	const visit = async (folder: string): Promise<void> => {
		for (const entry of await readdir(join(root, folder), { withFileTypes: true, encoding: 'buffer' })) {
			const name = entry.name.toString('utf8');
			const path = folder === '' ? name : `${folder}/${name}`;
			if (Buffer.compare(Buffer.from(name), entry.name) !== 0) {
				throw refuse('ENTRY_KIND', `the name ${path} is not UTF-8`, 'Rename it.', path);
			}
			if (name.toLowerCase() === '.git') {
				const hint =
					'Give a plain copy of its files: no commit can hold a repository within itself, so every honest candidate would be rejected.';
				throw refuse('IS_REPOSITORY', `${path} makes it a Git repository`, hint, path);
			}
			if (entry.isDirectory()) await visit(path);
			else if (entry.isFile()) files++;
			else if (entry.isSymbolicLink()) {
				throw refuse('LINK', `${path} is a symbolic link`, 'Put the file itself there: a link is not bytes.', path);
			} else throw refuse('ENTRY_KIND', `${path} is ${kindOf(entry)}`, 'Only regular files have bytes.', path);
		}
	};
	await visit('');
	if (files === 0) throw refuse('EMPTY', 'has no file', 'Put at least one file into it.');
	return root;
}

function kindOf(entry: Dirent<NonSharedBuffer>): string {
	if (entry.isFIFO()) return 'a named pipe';
	if (entry.isSocket()) return 'a socket';
	return 'a device';
}
