import type { Command, Option } from '@commander-js/extra-typings';
import { commonGroup } from '../src/common-options.ts';
import { createProgram } from '../src/program.ts';

/** `docs/cli.md`, written from the same tree that `--help` prints, so that the two cannot drift. */
export function commandReference(): string {
	const program = createProgram({ version: '', execute: async () => {}, writeOut: () => {} });
	const [first] = program.commands;
	const common = (first?.options ?? []).filter((option) => option.helpGroupHeading === commonGroup);
	return [
		'# Command line',
		'',
		'Written from the command tree of `packages/cli`; a test compares the two. Results go to stdout, progress, logs and errors to stderr.',
		'',
		'Every command also takes:',
		'',
		optionTable(common),
		...program.commands.flatMap((command) => commandSection(command as unknown as Command)),
		exitCodeSection,
	].join('\n');
}

function commandSection(command: Command): string[] {
	const own = command.options.filter((option) => option.helpGroupHeading !== commonGroup);
	const words = command.registeredArguments.map((argument) =>
		argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
	);
	return [
		'',
		`## ${['kapso-evolve', command.name(), ...words].join(' ')}`,
		'',
		command.description(),
		...(own.length === 0 ? [] : ['', optionTable(own)]),
		'',
		'```sh',
		exampleOf(command),
		'```',
	];
}

function optionTable(options: readonly Option[]): string {
	const rows = options.map((option) => {
		const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : '';
		return `| \`${option.flags}\` | ${option.description}${choices} |`;
	});
	return ['| option | what it is |', '| --- | --- |', ...rows.map(escapePipes)].join('\n');
}

/** A pipe inside a cell, as in `<path|url>`, would start another one. */
function escapePipes(row: string): string {
	return row.replace(/(?<=\w)\|(?=\w)/g, '\\|');
}

/** The example below a command's help, without its heading and indentation. */
function exampleOf(command: Command): string {
	let help = '';
	command.configureOutput({
		writeOut: (text) => {
			help += text;
		},
	});
	command.outputHelp();
	return help
		.slice(help.indexOf('\nExample:\n') + '\nExample:\n'.length)
		.trimEnd()
		.replace(/^ {2}/gm, '');
}

const exitCodeSection = `
## Exit codes

| code | meaning |
| --- | --- |
| 0 | done as asked: at least one valid, scored candidate (\`improved\` says whether it beats the baseline) |
| 1 | ran to its end with a negative verdict: no valid candidate, winner not reproducible, delivery refused by a dirty tree, \`verify\` found a false claim |
| 2 | usage, configuration or evidence refused; nothing was started |
| 3 | infrastructure: provider, disk, sandbox, a missing program, your evaluator under \`raise\`; state saved, \`resume\` continues |
| 4 | another live process holds this campaign |
| 130, 143 | interrupted by Ctrl-C or SIGTERM; state saved |

With \`--json\` an error is \`{"error": {"code", "message", "hint", "data"}}\` on stdout.

## A COMMAND

One value: a JSON array of strings, or one string split as a POSIX shell splits words. It is never given to a shell: operators, expansions, patterns and assignments are refused. The program of \`--agent command\` runs inside the candidate's clone, so name its files by absolute paths.
`;
