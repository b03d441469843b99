import { styleText } from 'node:util';
import type { Output } from './terminal.ts';

type Format = Parameters<typeof styleText>[0];
export type Style = (format: Format, text: string) => string;

/** Colour where the stream is a terminal that wants it: `NO_COLOR`, `FORCE_COLOR` and pipes are `styleText`'s to obey. */
export function createStyle(output: Output, color: boolean): Style {
	if (!color) return (_, text) => text;
	return (format, text) => styleText(format, text, { stream: output.stream, validateStream: true });
}
