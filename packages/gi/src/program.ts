import { fileURLToPath } from 'node:url';

/**
 * Absolute path of the agent's program, TypeScript where this package itself is loaded from source. Start it in the
 * folder to be improved, as `[node, giProgram, '--seed', '1', '--trials', '60']`.
 */
export const giProgram: string = fileURLToPath(
	new URL(import.meta.url.endsWith('.ts') ? './main.ts' : './main.js', import.meta.url),
);
