const marker: unique symbol = Symbol.for('kapso-evolve.error');

/**
 * What a caller can do about an error, and so the exit code a program gives it (CLI contract):
 * `verdict` 1, `usage` 2, `infrastructure` 3, `locked` 4, `interrupted` 130.
 */
export type ErrorCategory = 'verdict' | 'usage' | 'infrastructure' | 'locked' | 'interrupted';

export interface KapsoErrorOptions {
	/** Stable, upper snake case: programs compare it, people search for it. */
	readonly code: string;
	readonly category: ErrorCategory;
	/** What happened, to which file or ref. */
	readonly message: string;
	/** What is safe and what to type next. */
	readonly hint: string;
	/** The facts, as JSON. Never a secret. */
	readonly data?: Readonly<Record<string, unknown>>;
	readonly cause?: unknown;
}

/** The root of every error that this project throws on purpose. */
export class KapsoError extends Error {
	readonly [marker] = true;
	readonly code: string;
	readonly category: ErrorCategory;
	readonly hint: string;
	readonly data: Readonly<Record<string, unknown>>;

	constructor(options: KapsoErrorOptions) {
		super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
		this.name = new.target.name;
		this.code = options.code;
		this.category = options.category;
		this.hint = options.hint;
		this.data = options.data ?? {};
	}

	/** True for errors of any copy of this package: `instanceof` is false when two copies are installed. */
	static isInstance(value: unknown): value is KapsoError {
		return typeof value === 'object' && value !== null && marker in value;
	}
}

/** The message of anything that can be thrown, for records: `TypeError: x is not a function`. */
export function describeThrown(thrown: unknown): string {
	if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
	try {
		return `${typeof thrown}: ${String(thrown)}`;
	} catch {
		// An object without a prototype, or with a toString that throws: its type is all that can be told.
		return `${typeof thrown}: without a text form`;
	}
}
