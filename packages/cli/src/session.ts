import type { Logger } from '@kapso-evolve/contracts';
import type { CommonOptions } from './common-options.ts';
import { createStyle, type Style } from './style.ts';
import type { Terminal } from './terminal.ts';

/** One command being carried out: where it reads and writes, and how it was asked to speak. */
export interface Session {
	readonly terminal: Terminal;
	readonly options: CommonOptions;
	readonly style: Style;
	readonly errorStyle: Style;
	/** Created when first needed: most commands never log. */
	logger(): Promise<Logger>;
	/** The result, as a document under `--json` and as text otherwise. */
	print(document: object, text: () => string): void;
	/** stderr, above a live view if there is one. */
	note(text: string): void;
	setNote(write: ((text: string) => void) | null): void;
}

export function createSession(terminal: Terminal, options: CommonOptions): Session {
	let above: ((text: string) => void) | null = null;
	const note = (text: string): void => (above ?? terminal.stderr.write)(text);
	return {
		terminal,
		options,
		style: createStyle(terminal.stdout, options.color),
		errorStyle: createStyle(terminal.stderr, options.color),
		async logger() {
			const { createLogger } = await import('./logger.ts');
			return createLogger({ level: options.logLevel, write: note });
		},
		print(document, text) {
			terminal.stdout.write(options.json ? `${JSON.stringify(document, null, 2)}\n` : text());
		},
		note,
		setNote(write) {
			above = write;
		},
	};
}
