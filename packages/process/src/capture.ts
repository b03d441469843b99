/** Keeps the head and the tail of a stream within a fixed memory, however much flows through. */
export interface Capture {
	add(chunk: Uint8Array): void;
	/** Bytes that flowed through. */
	bytes(): number;
	truncated(): boolean;
	/** Lossy UTF-8; where the middle is missing a line says how many bytes were left out. */
	text(): string;
}

export function createCapture(maxBytes: number): Capture {
	const headSize = Math.ceil(maxBytes / 2);
	const tailSize = maxBytes - headSize;
	let kept = Buffer.alloc(0); // grows up to maxBytes: the head, then the tail as a ring
	let total = 0;

	const reserve = (size: number): void => {
		if (kept.length >= size) return;
		const grown = Buffer.alloc(Math.min(maxBytes, Math.max(size, kept.length * 2, 4096)));
		kept.copy(grown);
		kept = grown;
	};
	/** Where the byte number `at` of the stream is kept, as long as it is. */
	const place = (at: number): number => (at < maxBytes ? at : headSize + ((at - headSize) % tailSize));

	return {
		add(chunk) {
			reserve(Math.min(maxBytes, total + chunk.length));
			// Bytes that would be overwritten within this same chunk need no copy.
			const from = Math.max(0, Math.max(headSize - total, 0), chunk.length - tailSize);
			const headPart = Math.min(chunk.length, Math.max(headSize - total, 0));
			kept.set(chunk.subarray(0, headPart), Math.min(total, headSize));
			for (let offset = Math.max(headPart, from); offset < chunk.length; ) {
				const at = place(total + offset);
				const length = Math.min(chunk.length - offset, maxBytes - at);
				kept.set(chunk.subarray(offset, offset + length), at);
				offset += length;
			}
			total += chunk.length;
		},
		bytes: () => total,
		truncated: () => total > maxBytes,
		text() {
			if (total <= maxBytes) return kept.toString('utf8', 0, total);
			const oldest = tailSize === 0 ? maxBytes : place(total);
			const tail = Buffer.concat([kept.subarray(oldest, maxBytes), kept.subarray(headSize, oldest)]);
			return `${kept.toString('utf8', 0, headSize)}\n[… ${total - maxBytes} bytes left out …]\n${tail.toString('utf8')}`;
		},
	};
}
