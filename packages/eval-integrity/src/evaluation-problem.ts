import { KapsoError } from '@kapso-evolve/contracts';

/** One thing that is wrong with an evaluation, and where. */
export interface EvaluationProblem {
	/** Dotted, e.g. `run.timeout_seconds`; empty for the whole file. */
	readonly path: string;
	/** One-based; null when the evaluation came from configuration. */
	readonly line: number | null;
	readonly column: number | null;
	readonly message: string;
}

/** Every problem at once, each with its place. */
export function evaluationError(file: string, problems: readonly EvaluationProblem[]): KapsoError {
	const lines = problems.map(({ path, line, column, message }) => {
		const place = line === null ? '' : `:${line}:${column}`;
		return `${file}${place}: ${path === '' ? '' : `${path}: `}${message}`;
	});
	return new KapsoError({
		code: 'EVALUATION_FILE',
		category: 'usage',
		message: lines.join('\n'),
		hint: 'Correct each line above; nothing was created. The keys are those of the evaluation file, version 1.',
		data: { file, problems },
	});
}
