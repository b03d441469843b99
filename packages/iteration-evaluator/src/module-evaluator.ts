import { randomUUID } from 'node:crypto';
import { dirname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KapsoError } from '@kapso-evolve/contracts';
import { run } from '@kapso-evolve/process';
import { evaluatorProcessError, requireSuccess, runChild } from './child-evaluator.ts';
import type { IterationEvaluationResult, IterationEvaluator } from './evaluator.ts';

export interface ModuleEvaluatorOptions {
	/** `/absolute/path.mjs#exportName`; `default` is an export like any other. */
	readonly module: string;
	/** Absolute path of the Node executable. */
	readonly nodeProgram: string;
	/** The whole environment of the process. */
	readonly environment: Readonly<Record<string, string>>;
}

const runner = fileURLToPath(
	import.meta.url.endsWith('.ts')
		? new URL('./module-runner.ts', import.meta.url)
		: new URL('./module-runner.js', import.meta.url),
);
const checkDeadlineMs = 60_000;

/**
 * An exported function as evaluator, in a process of its own: what it does to that process, `process.exit` and endless
 * loops included, is a failed measurement and no more. It gets the context of document 003; its `signal` is never
 * aborted, the process is ended instead. It may print what it likes. `check` imports the module and looks for the
 * export. Throws `KapsoError` `EVALUATOR_MODULE` (usage).
 */
export function moduleEvaluator(options: ModuleEvaluatorOptions): IterationEvaluator {
	const { module, nodeProgram, environment } = options;
	const { path, exportName } = splitModule(module);
	const argv = [nodeProgram, runner, path, exportName];
	return {
		id: `module:${path}#${exportName}`,
		async evaluate(context) {
			const nonce = randomUUID();
			const { signal, ...facts } = context;
			const result = await runChild({ argv, environment }, context, { nonce, context: facts });
			signal.throwIfAborted();
			const answer = findAnswer(result.stdout, nonce);
			if (answer === null) {
				requireSuccess(result);
				throw evaluatorProcessError('the process ended with exit 0 before the evaluator returned');
			}
			if ('error' in answer) throw Object.assign(new Error(answer.error.message), { name: answer.error.name });
			return answer.result;
		},
		async check() {
			const nonce = randomUUID();
			const stdin = JSON.stringify({ nonce, context: null });
			const result = await run({
				argv,
				cwd: dirname(nodeProgram),
				env: environment,
				stdin,
				deadlineMs: checkDeadlineMs,
			});
			const answer = findAnswer(result.stdout, nonce);
			if (answer !== null && 'result' in answer) return;
			throw unusableModule(module, answer === null ? 'importing it ended the process' : answer.error.message);
		},
	};
}

type Answer =
	| { readonly result: IterationEvaluationResult }
	| { readonly error: { readonly name: string; readonly message: string } };

/** The line that carries the nonce of this very call: nothing that the module printed by itself. */
function findAnswer(stdout: string, nonce: string): Answer | null {
	const mark = `\n${nonce} `;
	const start = stdout.lastIndexOf(mark);
	const end = stdout.indexOf('\n', start + mark.length);
	return start < 0 || end < 0 ? null : (JSON.parse(stdout.slice(start + mark.length, end)) as Answer);
}

function splitModule(module: string): { path: string; exportName: string } {
	const hash = module.lastIndexOf('#');
	const path = module.slice(0, Math.max(0, hash));
	const exportName = module.slice(hash + 1);
	if (exportName === '' || !isAbsolute(path)) {
		throw unusableModule(module, 'it must be an absolute path, # and the name of an export');
	}
	return { path, exportName };
}

function unusableModule(module: string, reason: string): KapsoError {
	return new KapsoError({
		code: 'EVALUATOR_MODULE',
		category: 'usage',
		message: `The evaluator module ${JSON.stringify(module)} cannot be used: ${reason}.`,
		hint: 'For example /home/me/evaluate.mjs#evaluateCandidate',
		data: { module, reason },
	});
}
