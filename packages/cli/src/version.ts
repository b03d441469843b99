import { createRequire } from 'node:module';

/** Of this package, as `--version` prints it. */
export const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
