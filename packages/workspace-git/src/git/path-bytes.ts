/**
 * Git's paths are bytes. Inside this package a path is a string with one char a byte (latin1): it works as a Map key,
 * compares in Git's order and goes back to the same bytes, whatever encoding the name is in.
 */
export type PathBytes = string;

export function splitNul(output: Buffer): PathBytes[] {
	const text = output.toString('latin1');
	if (text === '') return [];
	return (text.endsWith('\0') ? text.slice(0, -1) : text).split('\0');
}

export function toBytes(path: PathBytes): Buffer {
	return Buffer.from(path, 'latin1');
}

/** For the file system calls of Node, which take Buffers: `folder` is text, `path` bytes below it. */
export function absolutePath(folder: string, path: PathBytes): Buffer {
	return Buffer.concat([Buffer.from(folder), Buffer.from('/'), toBytes(path)]);
}

export function fromText(path: string): PathBytes {
	return Buffer.from(path, 'utf8').toString('latin1');
}

/** True for most names: every byte is a letter of its own, whatever the encoding. */
export function isAscii(path: PathBytes): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
	return /^[\u0000-\u007f]*$/.test(path);
}

/** The name as text, or null when its bytes are not UTF-8. */
export function asText(path: PathBytes): string | null {
	if (isAscii(path)) return path;
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(toBytes(path));
	} catch {
		return null; // not UTF-8: the only reason for which a fatal decoder throws
	}
}

/** For messages: bytes that are not UTF-8 show as U+FFFD. */
export function display(path: PathBytes): string {
	return isAscii(path) ? path : toBytes(path).toString('utf8');
}
