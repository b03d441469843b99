import { KapsoError } from '@kapso-evolve/contracts';
import type { IterationEvaluationResult, IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import { type EvaluateFolderOptions, evaluateFolder } from './evaluate-folder.ts';

export const sealedEvaluatorPrefix = 'sealed:';

/**
 * An iteration evaluator that runs a suite of the caller's own, sealed, on each finalised candidate: how a hidden set
 * is observed. The suite never enters a clone. Reports `hidden_score` and the suite's own metrics as `hidden_<name>`.
 */
export function sealedIterationEvaluator(
	options: { readonly suite: string; readonly data?: string } & Pick<
		EvaluateFolderOptions,
		'environment' | 'nodeProgram' | 'workingFolder'
	>,
): IterationEvaluator {
	return {
		id: `${sealedEvaluatorPrefix}${options.suite}`,
		async evaluate(context): Promise<IterationEvaluationResult> {
			const record = await evaluateFolder({
				folder: context.workspaceDir,
				evalDir: options.suite,
				private: true,
				dataDir: options.data,
				environment: options.environment,
				nodeProgram: options.nodeProgram,
				workingFolder: options.workingFolder,
				signal: context.signal,
			});
			if (record.score === null) {
				throw new KapsoError({
					code: record.code ?? 'NOT_SCORED',
					category: 'verdict',
					message: `the hidden suite ended in ${record.outcome}: ${record.error ?? record.code ?? 'no reason given'}`,
					hint: 'the candidate keeps its own score; look at it with: kapso-evolve evaluate',
				});
			}
			const metrics = Object.entries(record.metrics).map(([name, value]) => [`hidden_${name}`, value] as const);
			return {
				metrics: { hidden_score: record.score, ...Object.fromEntries(metrics) },
				primaryMetric: 'hidden_score',
				metadata: { suite_digest: record.suiteDigest, level: record.level },
			};
		},
	};
}
