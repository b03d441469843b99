import { Command } from '@commander-js/extra-typings';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { evaluateCommand } from './commands/evaluate.ts';
import { evolveCommand } from './commands/evolve.ts';
import {
	agentsCommand,
	logCommand,
	replayCommand,
	showCommand,
	statusCommand,
	verifyCommand,
} from './commands/read.ts';
import { resumeCommand } from './commands/resume.ts';
import { commonGroup } from './common-options.ts';
import type { Execute } from './execute.ts';

/**
 * The command tree: light enough for `--help`, since actions load when they run. Parsing throws commander's errors
 * instead of leaving the process, and writes nothing but help.
 */
export function createProgram(o: {
	readonly version: string;
	readonly execute: Execute;
	readonly writeOut: (text: string) => void;
}): Command {
	const program = new Command('kapso-evolve')
		.description('Code-evolution campaigns whose scores can be trusted.')
		.version(o.version, '--version', 'print the version')
		.helpOption('--help', 'print help')
		.helpCommand(false)
		.addHelpText('after', '\nExample:\n  kapso-evolve demo\n  kapso-evolve COMMAND --help')
		.exitOverride()
		.configureOutput({ writeOut: o.writeOut, writeErr: () => {} })
		.configureHelp({ sortOptions: false });
	const commands = [
		demoCommand,
		evolveCommand,
		resumeCommand,
		evaluateCommand,
		statusCommand,
		logCommand,
		showCommand,
		verifyCommand,
		replayCommand,
		doctorCommand,
		agentsCommand,
	];
	for (const create of commands) {
		const command = create(o.execute) as unknown as Command;
		command.copyInheritedSettings(program as Command).helpOption('--help', 'print help');
		// What all commands take comes last in their help.
		const rank = (option: { helpGroupHeading?: string | undefined }) => Number(option.helpGroupHeading === commonGroup);
		(command.options as (typeof command.options)[number][]).sort((a, b) => rank(a) - rank(b));
		program.addCommand(command);
	}
	return program as unknown as Command;
}
