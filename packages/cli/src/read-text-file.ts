import { readFile, stat } from 'node:fs/promises';
import { KapsoError } from '@kapso-evolve/contracts';

/** A file that the caller named, as UTF-8 text. The caller's links are the caller's business and are followed. */
export async function readTextFile(o: {
	readonly path: string;
	readonly what: string;
	readonly maxBytes: number;
}): Promise<string> {
	const refuse = (reason: string, cause?: unknown) =>
		new KapsoError({
			code: 'FILE_UNREADABLE',
			category: 'usage',
			message: `the ${o.what} ${o.path} cannot be read: ${reason}`,
			hint: 'nothing was started; check the path and run the same command again',
			data: { path: o.path },
			cause,
		});
	try {
		const facts = await stat(o.path);
		if (!facts.isFile()) throw refuse('it is not a file');
		if (facts.size > o.maxBytes) throw refuse(`it has ${facts.size} bytes, more than ${o.maxBytes}`);
		return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(o.path));
	} catch (error) {
		if (KapsoError.isInstance(error)) throw error;
		throw refuse(error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message, error);
	}
}
