import type { IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import { parseCommandWords } from './command-words.ts';
import type { Session } from './session.ts';

/** `--evaluator MODULE#EXPORT` or `--evaluator-command COMMAND`: the caller's own code, in a child process. */
export async function readIterationEvaluator(
	session: Session,
	flags: { readonly evaluator?: string | undefined; readonly evaluatorCommand?: string | undefined },
): Promise<IterationEvaluator | undefined> {
	if (flags.evaluator === undefined && flags.evaluatorCommand === undefined) return undefined;
	const { commandEvaluator, moduleEvaluator } = await import('@kapso-evolve/iteration-evaluator');
	const environment = definedVariables(session.terminal.environment);
	if (flags.evaluatorCommand !== undefined)
		return commandEvaluator({ command: parseCommandWords(flags.evaluatorCommand), environment });
	const { resolveModule } = await import('./resolve-module.ts');
	return moduleEvaluator({
		module: resolveModule(flags.evaluator!, session.terminal.workingFolder),
		nodeProgram: process.execPath,
		environment,
	});
}

function definedVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
	);
}
