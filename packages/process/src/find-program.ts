import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The real path of a program on a `PATH` value, links resolved; null when there is none. An absolute name is only
 * checked. Relative entries of `PATH` are passed over: what they mean depends on where one stands.
 */
export async function findProgram(name: string, path: string): Promise<string | null> {
	if (isAbsolute(name)) return (await isProgram(name)) ? realpath(name) : null;
	if (name === '' || name.includes('/')) return null;
	const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
	for (const folder of path.split(delimiter).filter(isAbsolute)) {
		for (const ending of endings) {
			const candidate = join(folder, `${name}${ending}`);
			if (await isProgram(candidate)) return realpath(candidate);
		}
	}
	return null;
}

async function isProgram(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		return false; // missing, or not ours to run
	}
}
