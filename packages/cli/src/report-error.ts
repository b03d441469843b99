import { describeThrown, KapsoError } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** What `--json` prints in place of a result. */
export const errorDocumentSchema = z.strictObject({
	error: z.strictObject({
		code: z.string(),
		message: z.string(),
		hint: z.string(),
		data: z.record(z.string(), z.unknown()),
	}),
});
export type ErrorDocument = z.output<typeof errorDocumentSchema>;

/** Anything thrown as one of ours. What nobody expected keeps its cause and counts as infrastructure: state is saved. */
export function asKapsoError(thrown: unknown): KapsoError {
	if (KapsoError.isInstance(thrown)) return thrown;
	return new KapsoError({
		code: 'UNEXPECTED',
		category: 'infrastructure',
		message: `something that should not happen did: ${describeThrown(thrown)}`,
		hint: 'whatever a campaign had recorded is safe; look with kapso-evolve status DIR, continue with kapso-evolve resume DIR, and please report this with the output of --log-level debug',
		cause: thrown,
	});
}

export function errorDocument(error: KapsoError): ErrorDocument {
	return { error: { code: error.code, message: error.message, hint: error.hint, data: { ...error.data } } };
}

/** What happened to what; then what is safe and what to type next. */
export function errorText(error: KapsoError, style: Style): string {
	const lines = [`${style('red', 'error')} ${style('dim', error.code)} ${printable(error.message)}`];
	if (error.hint !== '') lines.push(`${style('cyan', 'hint')}  ${printable(error.hint)}`);
	return `${lines.join('\n')}\n`;
}
