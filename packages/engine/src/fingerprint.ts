import { createFingerprint, type Fingerprint } from '@kapso-evolve/checkpoint';
import type { EvaluationLevel } from '@kapso-evolve/contracts';
import type { LaunchSettings } from './settings.ts';
import { engineSchema } from './version.ts';

/** What must be the same for a resumed campaign to be the same campaign. Budgets are not among it. */
export function fingerprintOf(options: {
	readonly settings: LaunchSettings;
	readonly level: EvaluationLevel;
	readonly suiteDigest: string | null;
	readonly evaluationDigest: string | null;
	readonly dataDigest: string | null;
	readonly mainCommit: string;
	readonly initialRepo: string | null;
	readonly evaluatorIdentity: string | null;
}): Fingerprint {
	const { settings } = options;
	return createFingerprint({
		strategy_type: 'generic',
		strategy_params: { parent_policy: settings.parentPolicy, seed: settings.seed, parallel: settings.parallel },
		models: {},
		agents: { name: settings.agent, command: settings.agentCommand, trial_budget: settings.trialBudget },
		evaluation: {
			digest: options.evaluationDigest,
			visibility: settings.privateEvalDir === null ? 'visible' : 'private',
		},
		evaluation_level: options.level,
		suite_digest: options.suiteDigest,
		data_digest: options.dataDigest,
		initial_commit: { commit: options.mainCommit, location: options.initialRepo },
		evaluator: options.evaluatorIdentity,
		evaluator_failure_policy: options.evaluatorIdentity === null ? null : settings.iterationEvaluatorFailurePolicy,
		selection: {
			metric: settings.selectionMetric,
			direction: settings.selectionDirection,
			holdout: settings.holdoutMetrics,
			max_holdout_looks: settings.maxHoldoutLooks,
		},
		engine_schema: engineSchema,
	});
}
