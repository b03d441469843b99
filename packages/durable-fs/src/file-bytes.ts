import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 256 * 1024;

/** The bytes of an open file in chunks; each is only good until the next one is asked for. */
export async function* fileBytes(handle: FileHandle): AsyncGenerator<Buffer> {
	const buffer = Buffer.allocUnsafe(chunkBytes);
	for (;;) {
		const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
		if (bytesRead === 0) return;
		yield buffer.subarray(0, bytesRead);
	}
}
