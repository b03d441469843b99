import { CommanderError } from '@commander-js/extra-typings';
import type { CommonOptions } from './common-options.ts';
import { exitCodeOfCategory, exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { asKapsoError, errorDocument, errorText } from './report-error.ts';
import { createSession, type Session } from './session.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { usageError } from './usage-error.ts';
import { version } from './version.ts';

/** The whole program: `argv` as `process.argv` has it. Ends the process with an exit code of the CLI contract. */
export async function main(argv: readonly string[]): Promise<void> {
	const terminal = openTerminal();
	const code = await run(terminal, argv.slice(2));
	await Promise.all([terminal.stdout.drained(), terminal.stderr.drained()]);
	process.exit(code);
}

/** Everything but the process itself. */
export async function run(terminal: Terminal, args: readonly string[]): Promise<number> {
	let code: number = exitCodes.done;
	let session: Session | null = null;
	const program = createProgram({
		version,
		writeOut: terminal.stdout.write,
		async execute(options, action) {
			session = createSession(terminal, options);
			code = await action(session);
		},
	});
	try {
		await program.parseAsync(args, { from: 'user' });
		return code;
	} catch (thrown) {
		const error =
			thrown instanceof CommanderError
				? usageError(thrown, program.commands.find((command) => command.name() === args[0])?.name() ?? null)
				: asKapsoError(thrown);
		if (error === null) return exitCodes.done;
		session ??= createSession(terminal, optionsBeforeParsing(args));
		if (session.options.json) terminal.stdout.write(`${JSON.stringify(errorDocument(error), null, 2)}\n`);
		else terminal.stderr.write(errorText(error, session.errorStyle));
		if (session.options.logLevel === 'debug' && error.cause instanceof Error)
			terminal.stderr.write(`${error.cause.stack}\n`);
		const signalled = error.data.exit_code;
		return error.category === 'interrupted' && typeof signalled === 'number'
			? signalled
			: exitCodeOfCategory(error.category);
	}
}

/** How to speak about a command line that could not be parsed. */
function optionsBeforeParsing(args: readonly string[]): CommonOptions {
	const end = args.indexOf('--');
	const flags = end === -1 ? args : args.slice(0, end);
	return {
		json: flags.includes('--json') ? true : undefined,
		logLevel: 'warn',
		color: !flags.includes('--no-color'),
	};
}
