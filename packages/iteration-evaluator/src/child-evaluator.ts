import { type RunResult, run } from '@kapso-evolve/process';
import type { IterationEvaluationContext } from './evaluator.ts';

/** Per stream, head and tail: a result line of half of it is still whole. */
const maxOutputBytes = 8 * 1024 * 1024;

export interface ChildOptions {
	readonly argv: readonly string[];
	/** The whole environment. */
	readonly environment: Readonly<Record<string, string>>;
}

/**
 * Runs an evaluator's process in the candidate's working tree. The context's signal ends its whole tree; the
 * idempotency key is its run marker, by which a restarted engine finds what a killed one left.
 */
export function runChild(
	options: ChildOptions,
	context: IterationEvaluationContext,
	input: object,
): Promise<RunResult> {
	return run({
		argv: options.argv,
		cwd: context.workspaceDir,
		env: options.environment,
		stdin: `${JSON.stringify(input)}\n`,
		runMarker: context.idempotencyKey,
		maxOutputBytes,
		signal: context.signal,
	});
}

/** Throws for every end but an exit with 0, in the process's own last words. */
export function requireSuccess(result: RunResult): void {
	if (result.status === 'exited' && result.exitCode === 0) return;
	const end = result.signalName ?? (result.status === 'exited' ? `exit ${result.exitCode}` : result.status);
	const words = lastLine(result.stderr);
	throw evaluatorProcessError(words === null ? end : `${end}: ${words.slice(0, 1000)}`);
}

/** The last line that is not empty, or null. */
export function lastLine(text: string): string | null {
	const line = text.trimEnd().split('\n').at(-1)!.trim();
	return line === '' ? null : line;
}

export function evaluatorProcessError(message: string): Error {
	return Object.assign(new Error(message), { name: 'EvaluatorProcessError' });
}
