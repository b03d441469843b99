/** Keeps the last `maxBytes` of a stream; memory stays below twice that. */
export interface OutputTail {
	push(chunk: Uint8Array): void;
	/** UTF-8, lossy. When bytes were left out, it starts at a whole line. */
	text(): string;
	readonly leftOut: number;
}

export function createOutputTail(maxBytes: number): OutputTail {
	const chunks: Uint8Array[] = [];
	let size = 0;
	let leftOut = 0;
	return {
		push(chunk) {
			chunks.push(chunk.slice());
			size += chunk.length;
			while (size - chunks[0]!.length >= maxBytes) {
				const dropped = chunks.shift()!.length;
				size -= dropped;
				leftOut += dropped;
			}
		},
		text() {
			const bytes = Buffer.concat(chunks).subarray(Math.max(0, size - maxBytes));
			if (leftOut === 0 && bytes.length === size) return bytes.toString('utf8');
			return bytes.subarray(bytes.indexOf('\n') + 1).toString('utf8');
		},
		get leftOut() {
			return leftOut + Math.max(0, size - maxBytes);
		},
	};
}
