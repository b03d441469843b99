// Pickles as Python writes them, opcode by opcode, so that hostile ones can be said in a line.

export const proto = (version = 4): Buffer => Buffer.from([0x80, version]);
export const op = (code: string | number): Buffer =>
	typeof code === 'string' ? Buffer.from(code, 'latin1') : Buffer.from([code]);
export const text = (value: string | Uint8Array): Buffer => {
	const bytes = Buffer.from(value as string);
	const length = Buffer.alloc(4);
	length.writeUInt32LE(bytes.length);
	return Buffer.concat([op('X'), length, bytes]);
};
export const int = (value: number): Buffer => {
	const bytes = Buffer.alloc(4);
	bytes.writeInt32LE(value);
	return Buffer.concat([op('J'), bytes]);
};
export const float = (value: number): Buffer => {
	const bytes = Buffer.alloc(8);
	bytes.writeDoubleBE(value);
	return Buffer.concat([op('G'), bytes]);
};
export const none = op('N');
export const stop = op('.');
export const stackGlobal = op(0x93);
export const emptyTuple = op(')');
export const searchNode = Buffer.concat([
	text('kapso.execution.search_strategies.base'),
	text('SearchNode'),
	stackGlobal,
]);

/** Bytes of a pickle from its parts. */
export const pickle = (...parts: readonly Buffer[]): Buffer => Buffer.concat([proto(), ...parts]);

/** One node with these attributes, each already a value's bytes. */
export const nodeOf = (fields: Readonly<Record<string, Buffer>>): Buffer =>
	Buffer.concat([
		searchNode,
		emptyTuple,
		op(0x81),
		op('}'),
		op('('),
		...Object.entries(fields).flatMap(([name, value]) => [text(name), value]),
		op('u'),
		op('b'),
	]);

/** A history of nodes: what the generic strategy kept. */
export const historyOf = (...nodes: readonly Buffer[]): Buffer => pickle(op(']'), op('('), ...nodes, op('e'), stop);
