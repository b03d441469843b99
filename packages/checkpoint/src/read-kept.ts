import { KapsoError } from '@kapso-evolve/contracts';
import { readBounded } from '@kapso-evolve/durable-fs';

const maxBytes = 2 ** 30;

/**
 * The bytes of one of the campaign's own files; null without a file, which is never the same as a file that cannot be
 * read: `FILE_KIND`, `FILE_TOO_LARGE` (usage), and `READ_FAILED` (infrastructure) when the disk or its rights say no.
 */
export async function readKept(path: string): Promise<Buffer | null> {
	try {
		return await readBounded(path, { maxBytes });
	} catch (thrown) {
		if (!KapsoError.isInstance(thrown)) throw readFailed(path, thrown as NodeJS.ErrnoException);
		if (thrown.code === 'FILE_MISSING') return null;
		throw thrown;
	}
}

export function readFailed(path: string, cause: NodeJS.ErrnoException): KapsoError {
	return new KapsoError({
		code: 'READ_FAILED',
		category: 'infrastructure',
		message: `${path} is there and could not be read: ${cause.message}`,
		hint: 'Nothing was changed. Correct its rights, or look after the disk, then try again.',
		data: { path, errno: cause.code ?? null },
		cause,
	});
}
