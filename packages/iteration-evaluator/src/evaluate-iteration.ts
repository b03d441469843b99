import { setTimeout as sleep } from 'node:timers/promises';
import type { FailurePolicy } from '@kapso-evolve/contracts';
import { deepFreeze } from './deep-freeze.ts';
import { describeFailure, IterationEvaluationError } from './evaluation-error.ts';
import type { ExternalEvaluation, IterationEvaluationContext, IterationEvaluator } from './evaluator.ts';
import { parseResult } from './parse-result.ts';

export interface EvaluateIterationOptions {
	readonly evaluator: IterationEvaluator;
	/** `record`: a failure is data. `raise`: a failure is an {@link IterationEvaluationError}. */
	readonly policy: FailurePolicy;
	readonly context: Omit<IterationEvaluationContext, 'signal' | 'workspaceDir'>;
	/** Makes a working tree of the candidate, hands it over, and removes it. Its own errors pass through. */
	readonly withWorktree: <T>(use: (folder: string) => Promise<T>) => Promise<T>;
	readonly deadlineMs: number;
	/** Time for an aborted evaluator to end what it started before its working tree goes. Default 3000. */
	readonly graceMs?: number;
	/** The campaign's. When it is aborted, its reason is thrown: an interruption is no measurement. */
	readonly signal?: AbortSignal;
}

/** Longest delay that a timer takes, 24.8 days: a longer one would end at once. */
const longestTimerMs = 2 ** 31 - 1;

type Attempt = { readonly evaluation: ExternalEvaluation } | { readonly thrown: unknown };

/** Calls the caller's evaluator once for one candidate (document 003). */
export async function evaluateIteration(options: EvaluateIterationOptions): Promise<ExternalEvaluation> {
	options.signal?.throwIfAborted();
	const attempt = await options.withWorktree((folder) => measure(options, folder));
	options.signal?.throwIfAborted();
	if ('evaluation' in attempt) return attempt.evaluation;
	const error = describeFailure(attempt.thrown);
	if (options.policy === 'record') return { metrics: {}, primaryMetric: null, metadata: {}, error };
	const { nodeId } = options.context.node;
	throw new IterationEvaluationError({ nodeId, branch: options.context.gitRef, error, cause: attempt.thrown });
}

async function measure(options: EvaluateIterationOptions, workspaceDir: string): Promise<Attempt> {
	const { evaluator, deadlineMs, graceMs = 3000 } = options;
	const stop = new AbortController();
	const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
	const context = Object.freeze({ ...deepFreeze(structuredClone(options.context)), workspaceDir, signal });
	const timer = setTimeout(() => stop.abort(deadlinePassed(deadlineMs)), Math.min(deadlineMs, longestTimerMs));
	try {
		const call = attempt(evaluator, context);
		const stopped = await Promise.race([call.then(() => false), aborted(signal)]);
		if (!stopped) return await call;
		// what it returns now is too late, but a child process of its own should be dead before its folder goes
		await settledWithin(call, graceMs);
		return { thrown: signal.reason };
	} finally {
		clearTimeout(timer);
		stop.abort(); // whatever the evaluator left running loses its folder now
	}
}

async function attempt(evaluator: IterationEvaluator, context: IterationEvaluationContext): Promise<Attempt> {
	try {
		const evaluate = typeof evaluator === 'function' ? evaluator : evaluator.evaluate.bind(evaluator);
		return { evaluation: { ...parseResult(await evaluate(context)), error: null } };
	} catch (thrown) {
		return { thrown };
	}
}

function aborted(signal: AbortSignal): Promise<true> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve(true);
		else signal.addEventListener('abort', () => resolve(true), { once: true });
	});
}

async function settledWithin(call: Promise<unknown>, milliseconds: number): Promise<void> {
	const settled = new AbortController();
	const wait = sleep(milliseconds, undefined, { signal: settled.signal }).catch(() => undefined);
	await Promise.race([call, wait]);
	settled.abort();
	await wait;
}

function deadlinePassed(deadlineMs: number): Error {
	const error = new Error(`the deadline of ${deadlineMs / 1000} s passed`);
	error.name = 'TimeoutError';
	return error;
}
