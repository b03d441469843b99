import { Command, Option } from '@commander-js/extra-typings';

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What every command takes. */
export interface CommonOptions {
	readonly json?: true | undefined;
	readonly quiet?: true | undefined;
	readonly logLevel: LogLevel;
	readonly color: boolean;
}

/** A command with the options that all have, and an example below its help. */
export function newCommand(name: string, about: { readonly summary: string; readonly example: string }) {
	return new Command(name)
		.description(about.summary)
		.addHelpText('after', `\nExample:\n${about.example.replace(/^/gm, '  ')}`)
		.addOption(new Option('--json', 'one JSON document on stdout').helpGroup(commonGroup))
		.addOption(new Option('--quiet', 'no progress on stderr').helpGroup(commonGroup))
		.addOption(
			new Option('--log-level <level>', 'logs on stderr').choices(logLevels).default('warn').helpGroup(commonGroup),
		)
		.addOption(new Option('--no-color', 'no colour, as with NO_COLOR').helpGroup(commonGroup));
}

export const commonGroup = 'Every command:';
