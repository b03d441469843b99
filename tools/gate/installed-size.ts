import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Size } from './size-budget.ts';

/** Counts the packages in a `node_modules` folder and the bytes of their files. */
export async function measureInstallation(folder: string): Promise<Size> {
	let packages = 0;
	let bytes = 0;
	const walk = async (path: string): Promise<void> => {
		for (const entry of await readdir(path, { withFileTypes: true })) {
			const child = join(path, entry.name);
			if (entry.isDirectory()) await walk(child);
			else if (entry.isFile()) {
				bytes += (await lstat(child)).size;
				if (entry.name === 'package.json' && isPackageFolder(path)) packages++;
			}
		}
	};
	await walk(folder);
	return { packages, kilobytes: Math.ceil(bytes / 1024) };
}

/** `…/node_modules/name` and `…/node_modules/@scope/name`; manifests deeper inside a package are its own business. */
function isPackageFolder(path: string): boolean {
	return /[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^@\\/][^\\/]*$/.test(path);
}
