import type { Logger } from '@kapso-evolve/contracts';
import { destination, pino } from 'pino';

/** Keys whose values never reach a log, at the top level and one below. */
export const redactedKeys = ['apiKey', 'api_key', 'token', 'password', 'secret', 'authorization', 'env', 'environment'];

/** pino on stderr, synchronous: a line that was written survives a SIGKILL of the next instant. */
export function createDefaultLogger(level = 'warn'): Logger {
	const paths = redactedKeys.flatMap((key) => [key, `*.${key}`]);
	return pino({ level, redact: { paths, censor: '[redacted]' } }, destination({ dest: 2, sync: true }));
}
