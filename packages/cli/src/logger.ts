import type { Logger } from '@kapso-evolve/contracts';
import { pino } from 'pino';
import type { LogLevel } from './common-options.ts';

const secretKey =
	/api.?key|token|password|passphrase|secret|authorization|cookie|credential|private.?key|^env(?:ironment)?$/i;

/** JSON lines through a synchronous write, so that the last line before a crash is there. */
export function createLogger(o: { readonly level: LogLevel; readonly write: (line: string) => void }): Logger {
	return pino(
		{
			level: o.level,
			base: null,
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (level) => ({ level }), log: (fields) => redacted(fields, 0) as Record<string, unknown> },
		},
		{ write: o.write },
	);
}

/** The same fields with the value of every secret-looking key gone, at any depth that a log line has any use for. */
function redacted(value: unknown, depth: number): unknown {
	if (typeof value !== 'object' || value === null || value instanceof Error) return value;
	if (depth > 6) return '[deep]';
	if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
	return Object.fromEntries(
		Object.entries(value).map(([key, field]) => [key, secretKey.test(key) ? '[redacted]' : redacted(field, depth + 1)]),
	);
}
