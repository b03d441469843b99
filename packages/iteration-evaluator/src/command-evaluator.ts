import { isAbsolute } from 'node:path';
import { KapsoError, toDiskNames } from '@kapso-evolve/contracts';
import { findProgram } from '@kapso-evolve/process';
import { evaluatorProcessError, lastLine, requireSuccess, runChild } from './child-evaluator.ts';
import type { IterationEvaluationContext, IterationEvaluationResult, IterationEvaluator } from './evaluator.ts';

export interface CommandEvaluatorOptions {
	/** Program and arguments: an absolute path or a name on the `PATH` in `environment`. Never given to a shell. */
	readonly command: readonly string[];
	/** The whole environment of the process. */
	readonly environment: Readonly<Record<string, string>>;
}

/**
 * A program as evaluator: the context is JSON on its stdin, the last line of its stdout is the result, JSON as well, its
 * working directory is the candidate. Another exit than 0, no such line, another shape: a failed measurement. `check`
 * looks for the program. Throws `KapsoError` `EVALUATOR_COMMAND` (usage).
 */
export function commandEvaluator(options: CommandEvaluatorOptions): IterationEvaluator {
	const { command, environment } = options;
	const program = command[0] ?? '';
	if (program === '' || (program.includes('/') && !isAbsolute(program))) {
		throw unusableProgram(
			program,
			'it is neither an absolute path nor a name, and a relative path would be the candidate’s',
		);
	}
	return {
		id: `command:${JSON.stringify(command)}`,
		async evaluate(context) {
			const result = await runChild({ argv: command, environment }, context, contextToJson(context));
			context.signal.throwIfAborted();
			requireSuccess(result);
			return resultFromJson(parseLastLine(result.stdout)) as IterationEvaluationResult; // the contract is checked on it
		},
		async check() {
			if ((await findProgram(program, environment.PATH ?? '')) === null)
				throw unusableProgram(program, 'it was not found');
		},
	};
}

/**
 * The names of document 003 in snake_case, beside `schema_version` and without the signal; the node has the names of
 * the history file.
 */
function contextToJson(context: IterationEvaluationContext): Record<string, unknown> {
	const { signal: _, node, ...facts } = context;
	return { schema_version: 1, ...toDiskNames(facts), node: toDiskNames(node) };
}

/** `{"metrics", "primary_metric"?, "metadata"?}`; the contract refuses other keys. */
function resultFromJson(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const { primary_metric: primaryMetric, ...rest } = value as Record<string, unknown>;
	return primaryMetric === undefined ? rest : { ...rest, primaryMetric };
}

function parseLastLine(stdout: string): unknown {
	const line = lastLine(stdout);
	if (line === null) throw evaluatorProcessError('exit 0 without a result on stdout');
	try {
		return JSON.parse(line);
	} catch {
		throw evaluatorProcessError(`the last line of stdout is not JSON: ${line.slice(0, 200)}`);
	}
}

function unusableProgram(program: string, reason: string): KapsoError {
	return new KapsoError({
		code: 'EVALUATOR_COMMAND',
		category: 'usage',
		message: `The evaluator's program ${JSON.stringify(program)} cannot be used: ${reason}.`,
		hint: 'Give an absolute path, or a name on PATH.',
		data: { program, reason },
	});
}
