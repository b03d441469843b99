import { chmod, readdir, rm } from 'node:fs/promises';
import { removeTree } from '@kapso-evolve/durable-fs';

/** Removes a folder of ours for good, folders that were made read-only inside or nested without end included. Follows no link. */
export async function removeFolder(path: string): Promise<void> {
	try {
		await rm(path, { recursive: true, force: true, maxRetries: 3 });
	} catch (error) {
		const { code = '' } = error as NodeJS.ErrnoException;
		if (code === 'ENAMETOOLONG') return removeTree(path);
		if (!['EACCES', 'EPERM'].includes(code)) throw error;
		await makeWritable(Buffer.from(path));
		await rm(path, { recursive: true, force: true, maxRetries: 3 });
	}
}

async function makeWritable(folder: Buffer): Promise<void> {
	await chmod(folder, 0o700);
	for (const child of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
		if (child.isDirectory()) await makeWritable(Buffer.concat([folder, Buffer.from('/'), child.name]));
	}
}
