import { KapsoError } from '@kapso-evolve/contracts';

export type FileProblem = 'FILE_MISSING' | 'FILE_KIND' | 'FILE_TOO_LARGE' | 'FILE_LINKS' | 'FILE_EXISTS';

const hints: Readonly<Record<FileProblem, string>> = {
	FILE_MISSING: 'Nothing was changed. Check the path.',
	FILE_KIND: 'Nothing was read. Put a regular file there; links, folders, pipes and devices are never followed.',
	FILE_TOO_LARGE: 'Nothing was kept. Make the file smaller or raise the limit that the message names.',
	FILE_LINKS: 'Nothing was kept. Copy the file so that it has one name only.',
	FILE_EXISTS: 'The existing file is untouched. Choose another name, or remove the file first.',
};

/** A file that is not as it has to be; whose fault that is, the caller knows. */
export function fileProblem(code: FileProblem, path: string, what: string, cause?: unknown): KapsoError {
	return new KapsoError({
		code,
		category: 'usage',
		message: `${path} ${what}.`,
		hint: hints[code],
		data: { path },
		cause,
	});
}

/** The disk or its rights said no. */
export function writeFailed(path: string, what: string, cause: unknown): KapsoError {
	const errno = errnoOf(cause);
	return new KapsoError({
		code: 'WRITE_FAILED',
		category: 'infrastructure',
		message: `${path} could not be ${what}: ${(cause as Error).message}`,
		hint: 'What was there before is intact. Free space or correct the rights of the folder, then try again.',
		data: { path, errno: errno ?? null },
		cause,
	});
}

export function errnoOf(thrown: unknown): string | undefined {
	return (thrown as NodeJS.ErrnoException | null)?.code;
}
