import { chmod, readdir, rm } from 'node:fs/promises';

/** Removes a folder of ours for good, folders that were made read-only inside included. Follows no link. */
export async function removeFolder(path: string): Promise<void> {
	try {
		await rm(path, { recursive: true, force: true, maxRetries: 3 });
	} catch (error) {
		if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
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
