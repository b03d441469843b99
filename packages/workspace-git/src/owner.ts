import { readFile } from 'node:fs/promises';
import { writeFileDurable } from '@kapso-evolve/durable-fs';
import { currentProcess, isAlive, type ProcessIdentity } from '@kapso-evolve/process';

/** Says which engine process something temporary belongs to; whole or absent at every instant of a kill. */
export async function writeOwner(path: string): Promise<void> {
	await writeFileDurable(path, JSON.stringify(currentProcess()));
}

/** True only when the process that wrote the file is known to be dead. */
export async function isOwnerDead(path: string): Promise<boolean> {
	try {
		return isAlive(JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity) === 'dead';
	} catch (error) {
		// None yet, or not ours: whatever it belongs to stays.
		if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return false;
		throw error;
	}
}
