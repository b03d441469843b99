import type { CommanderError } from '@commander-js/extra-typings';
import { KapsoError } from '@kapso-evolve/contracts';

/** What commander refused, in our form; its own text names the nearest flag or command. Null when it only gave help. */
export function usageError(error: CommanderError, command: string | null): KapsoError | null {
	if (error.exitCode === 0) return null;
	const help = command === null ? 'kapso-evolve --help' : `kapso-evolve ${command} --help`;
	const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
	const isBareHelp = error.code === 'commander.help' || error.message === '(outputHelp)';
	const message = isBareHelp ? 'no command was given' : [first, ...rest].join(' ').trim();
	return new KapsoError({
		code: 'USAGE',
		category: 'usage',
		message,
		hint: `nothing was started; ${help} lists what there is`,
		data: { reason: error.code.replace(/^commander\./, '') },
	});
}
