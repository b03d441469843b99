import { isAbsolute, join } from 'node:path';
import { readTextFile } from '../read-text-file.ts';
import { type Configuration, packagedConfiguration, parseConfiguration } from './configuration.ts';

const maxConfigurationBytes = 1024 * 1024;

/** `--config FILE --mode NAME`; without a file, the packaged settings. */
export async function readConfiguration(o: {
	readonly file: string | undefined;
	readonly mode: string | undefined;
	readonly workingFolder: string;
}): Promise<Configuration> {
	if (o.file === undefined) return packagedConfiguration(o.mode);
	const path = isAbsolute(o.file) ? o.file : join(o.workingFolder, o.file);
	const text = await readTextFile({ path, what: 'configuration file', maxBytes: maxConfigurationBytes });
	return parseConfiguration({ file: o.file, text, mode: o.mode });
}
