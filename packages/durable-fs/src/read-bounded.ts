import { constants } from 'node:fs';
import { fileProblem } from './errors.ts';
import { openRegularFile } from './open-no-follow.ts';

export interface ReadBoundedOptions {
	readonly maxBytes: number;
	/** Refuse a file that has a second name, which somebody else could still write through. */
	readonly singleLink?: boolean;
}

/**
 * The bytes of a regular file that may have been left by someone hostile: links are not followed, pipes do not block,
 * and no more than `maxBytes` is ever read, however the file grows. Throws `KapsoError` `FILE_MISSING`, `FILE_KIND`,
 * `FILE_TOO_LARGE`, `FILE_LINKS` (all `usage`).
 */
export async function readBounded(path: string, options: ReadBoundedOptions): Promise<Buffer> {
	const { maxBytes, singleLink = false } = options;
	await using handle = await openRegularFile(path, constants.O_RDONLY);
	const { size, nlink } = await handle.stat();
	if (singleLink && nlink !== 1) throw fileProblem('FILE_LINKS', path, `has ${nlink} names (hard links)`);
	const tooLarge = () => fileProblem('FILE_TOO_LARGE', path, `is larger than ${maxBytes} bytes`);
	if (size > maxBytes) throw tooLarge();
	let bytes = Buffer.alloc(Math.min(size, maxBytes) + 1);
	for (let filled = 0; ; ) {
		const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
		if (bytesRead === 0) return bytes.subarray(0, filled);
		filled += bytesRead;
		if (filled > maxBytes) throw tooLarge();
		if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(filled * 2, maxBytes + 1));
	}
}
