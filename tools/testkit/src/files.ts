import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a test writes at a path: text or bytes, an executable, or a link. */
export type FileContent = string | Uint8Array | { readonly executable: string } | { readonly link: string };

/** Writes files below a folder, parents included. */
export async function writeFiles(folder: string, files: Readonly<Record<string, FileContent>>): Promise<void> {
	for (const [path, content] of Object.entries(files)) {
		const target = join(folder, path);
		await mkdir(dirname(target), { recursive: true });
		if (typeof content === 'string' || content instanceof Uint8Array) await writeFile(target, content);
		else if ('link' in content) await symlink(content.link, target);
		else {
			await writeFile(target, content.executable);
			await chmod(target, 0o755);
		}
	}
}

/** Everything below a folder by path: mode and bytes, so that two moments can be compared with `toEqual`. */
export async function readFiles(
	folder: string,
	skip: (path: string) => boolean = () => false,
): Promise<Record<string, string>> {
	const found: Record<string, string> = {};
	const walk = async (relative: string): Promise<void> => {
		for (const name of (await readdir(join(folder, relative))).sort()) {
			const path = relative === '' ? name : `${relative}/${name}`;
			if (skip(path)) continue;
			const stat = await lstat(join(folder, path));
			if (stat.isDirectory()) await walk(path);
			else if (stat.isSymbolicLink()) found[path] = `link ${await readlink(join(folder, path))}`;
			else if (stat.isFile()) {
				const bytes = await readFile(join(folder, path));
				found[path] = `${(stat.mode & 0o777).toString(8)} ${bytes.toString('latin1')}`;
			} else found[path] = 'special';
		}
	};
	await walk('');
	return found;
}
