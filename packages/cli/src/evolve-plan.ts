import { type EvaluationFileInput, KapsoError } from '@kapso-evolve/contracts';
import type { EvolveOptions } from '@kapso-evolve/engine';
import { parseCommandWords } from './command-words.ts';
import type { Configuration } from './configuration/configuration.ts';
import type { EvolveFlags } from './evolve-flags.ts';

/** The part of the engine's options that flags and a configuration decide. */
export type EvolvePlan = Omit<
	EvolveOptions,
	| 'iterationEvaluator'
	| 'stopWhen'
	| 'onEvent'
	| 'signal'
	| 'logger'
	| 'clock'
	| 'ids'
	| 'environment'
	| 'workingFolder'
	| 'nodeProgram'
>;

/** Flags beat the file, the file beats the engine's defaults. Pure: nothing is read or created. */
export function planEvolve(flags: EvolveFlags, configuration: Configuration, goal: string): EvolvePlan {
	const { settings } = configuration;
	const { budget, coding_agent: codingAgent, search_strategy: search } = settings;
	if (flags.output === undefined)
		throw usage('OUTPUT_MISSING', 'a campaign needs a folder of its own', 'add --output DIR');
	if (flags.includeUncommitted && flags.initialRepo === undefined)
		throw usage('FLAG_MEANINGLESS', '--include-uncommitted says nothing without --initial-repo');
	if (
		flags.evaluatorFailurePolicy !== undefined &&
		flags.evaluator === undefined &&
		flags.evaluatorCommand === undefined
	)
		throw usage(
			'FLAG_MEANINGLESS',
			'--evaluator-failure-policy says nothing without --evaluator or --evaluator-command',
		);
	const agent = flags.agent ?? codingAgent?.type;
	if (agent === undefined)
		throw usage(
			'AGENT_MISSING',
			'no coding agent was named',
			'add --agent NAME; kapso-evolve agents lists those of this machine',
		);
	return defined({
		goal,
		outputPath: flags.output,
		agent,
		agentCommand: planAgentCommand(agent, flags, codingAgent?.command),
		initialRepo: flags.initialRepo,
		includeUncommitted: flags.includeUncommitted,
		evalDir: flags.evalDir,
		privateEvalDir: flags.privateEvalDir,
		dataDir: flags.dataDir,
		// The schema has checked it; the engine's record wants what was written, without our defaults in it.
		evaluation: (configuration.evaluation ?? undefined) as EvaluationFileInput | undefined,
		parentPolicy: search?.params?.parent_policy,
		maxIterations: flags.iterations ?? budget?.max_iterations,
		parallel: flags.parallel ?? settings.parallel,
		timeBudgetMinutes: flags.timeBudgetMinutes ?? budget?.time_budget_minutes,
		costBudget: flags.costBudget ?? budget?.cost_budget_usd,
		finalizationReserveMinutes: flags.finalizationReserveMinutes ?? budget?.finalization_reserve_minutes,
		agentDeadlineMinutes: codingAgent?.deadline_minutes,
		agentVariables: codingAgent?.env,
		selectionMetric: settings.selection_metric,
		selectionDirection: settings.selection_direction,
		holdoutMetrics: settings.holdout_metrics,
		maxHoldoutLooks: settings.max_holdout_looks,
		trialBudget: codingAgent?.trial_budget,
		seed: flags.seed,
		resume: flags.resume,
		adopt: flags.adopt,
		allowLegacyCheckpoint: flags.allowLegacyCheckpoint,
		requireIsolation: settings.require_isolation,
		iterationEvaluatorFailurePolicy: flags.evaluatorFailurePolicy,
		mode: configuration.mode ?? undefined,
		workDir: flags.workDir,
	});
}

function planAgentCommand(
	agent: string,
	flags: EvolveFlags,
	configured: readonly string[] | undefined,
): readonly string[] | undefined {
	if (agent === 'command') {
		const command = flags.agentCommand === undefined ? configured : parseCommandWords(flags.agentCommand);
		if (command === undefined)
			throw usage('AGENT_COMMAND_MISSING', 'the agent "command" needs a program to run', 'add --agent-command COMMAND');
		return command;
	}
	if (flags.agentCommand !== undefined)
		throw usage(
			'FLAG_MEANINGLESS',
			`--agent-command says nothing with --agent ${agent}`,
			'write --agent command, or leave it out',
		);
	return undefined;
}

export function usage(code: string, message: string, next = 'correct the command and run it again'): KapsoError {
	return new KapsoError({ code, category: 'usage', message, hint: `nothing was started; ${next}` });
}

/** Without the keys whose value is undefined, so that the engine's defaults apply and tests compare whole plans. */
export function defined<T extends object>(value: T): T {
	return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
