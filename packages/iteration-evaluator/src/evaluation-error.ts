import { KapsoError } from '@kapso-evolve/contracts';

/** A failed measurement under `raise`. Nothing was recorded of the candidate; its branch is kept for inspection. */
export class IterationEvaluationError extends KapsoError {
	constructor(options: { nodeId: number; branch: string; error: string; cause: unknown }) {
		super({
			code: 'ITERATION_EVALUATION_FAILED',
			category: 'infrastructure',
			message: `The iteration evaluator failed for candidate ${options.nodeId} (${options.branch}): ${options.error}`,
			hint: `The branch ${options.branch} is kept and nothing was recorded of it. Mend the evaluator, then resume.`,
			data: { nodeId: options.nodeId, branch: options.branch, error: options.error },
			cause: options.cause,
		});
	}
}

const maxErrorLength = 8192;

/** `Type: message` of anything that can be thrown, also of values made to defeat that. */
export function describeFailure(thrown: unknown): string {
	try {
		const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `${typeof thrown}: ${String(thrown)}`;
		return text.slice(0, maxErrorLength);
	} catch {
		return `${typeof thrown}: a value that cannot be shown`;
	}
}
