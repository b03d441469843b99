/** The wall clock and a monotonic one, so that a test decides what time it is. */
export interface Clock {
	now(): Date;
	/** Milliseconds that never go back; only differences mean anything. */
	monotonicMs(): number;
}
export const systemClock: Clock = {
	now: () => new Date(),
	monotonicMs: () => performance.now(),
};

/** Unique names: campaign ids, run ids, nonces. */
export interface Ids {
	next(kind: 'campaign' | 'run' | 'nonce'): string;
}
export const randomIds: Ids = { next: () => crypto.randomUUID() };

/** Uniform numbers in [0, 1). */
export interface Random {
	next(): number;
}

/** mulberry32: small, fast, full period over its 32-bit state; the same seed gives the same numbers everywhere. */
export function seededRandom(seed: number): Random {
	let state = seed >>> 0;
	return {
		next() {
			state = (state + 0x6d2b79f5) >>> 0;
			let mixed = state;
			mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
			mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
			return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
		},
	};
}

/** The part of pino's interface that we use. */
export interface Logger {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
}
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** One call of a model. Whoever needs a model gets this port; `llm-routing` makes one. */
export interface LlmClient {
	text(request: { readonly role: string; readonly prompt: string; readonly signal?: AbortSignal }): Promise<{
		readonly text: string;
		readonly model: string;
		/** Dollars, or null when the price is not known. */
		readonly costUsd: number | null;
	}>;
}

/** How an MCP server is started: data, so that whoever composes servers need not know who runs them. */
export interface McpServerSpec {
	readonly name: string;
	readonly command: readonly [string, ...string[]];
	readonly env: Readonly<Record<string, string>>;
	readonly tools: readonly string[];
}
