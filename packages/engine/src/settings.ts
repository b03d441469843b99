import type { KeyObject } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { type CodingAgent, parseAgentName } from '@kapso-evolve/coding-agents';
import {
	type Clock,
	evaluationFileSchema,
	failurePolicySchema,
	type Ids,
	KapsoError,
	type Logger,
	objectiveSchema,
	parentPolicySchema,
	randomIds,
	systemClock,
} from '@kapso-evolve/contracts';
import { openSandbox } from '@kapso-evolve/process';
import { openWorkspace } from '@kapso-evolve/workspace-git';
import { z } from 'zod';
import { createDefaultLogger } from './default-logger.ts';
import type { EvolveOptions } from './options.ts';
import { parsePrivateKey } from './signature.ts';

/** The start of a campaign as `launch.json` keeps it: every value resolved, every path absolute. */
export const launchSettingsSchema = z.strictObject({
	goal: z.string().trim().min(1, 'must say what the campaign is to achieve'),
	agent: z.string().min(1),
	agentCommand: z.array(z.string()).min(1).nullable(),
	initialRepo: z.string().min(1).nullable(),
	includeUncommitted: z.boolean(),
	evalDir: z.string().min(1).nullable(),
	privateEvalDir: z.string().min(1).nullable(),
	dataDir: z.string().min(1).nullable(),
	evaluation: evaluationFileSchema.nullable(),
	parentPolicy: parentPolicySchema,
	maxIterations: z.int('must be a whole number').min(0),
	parallel: z.int().min(1).max(64),
	evaluationConcurrency: z.int().min(1).max(64),
	timeBudgetMinutes: z.number().min(0).nullable(),
	costBudget: z.number().min(0).nullable(),
	finalizationReserveMinutes: z.number().min(0),
	agentDeadlineMinutes: z.number().positive(),
	/** Absent in campaigns of before it existed: a setting that is added needs a default, or they cannot be opened. */
	agentVariables: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable')).default([]),
	trialBudget: z.int().min(0),
	seed: z.int(),
	requireIsolation: z.boolean(),
	iterationEvaluatorFailurePolicy: failurePolicySchema,
	iterationEvaluatorDeadlineMinutes: z.number().positive(),
	selectionMetric: z.string().min(1).nullable().default(null),
	selectionDirection: objectiveSchema.nullable().default(null),
	holdoutMetrics: z.array(z.string().min(1)).default([]),
	maxHoldoutLooks: z.int().min(0).nullable().default(null),
	mode: z.string().nullable(),
	workDir: z.string().nullable(),
});
export type LaunchSettings = z.output<typeof launchSettingsSchema>;

/** What a process brings along that no file keeps. */
export interface Surroundings {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	readonly environment: Readonly<Record<string, string>>;
	readonly path: string;
	readonly nodeProgram: string;
	readonly signal: AbortSignal | undefined;
	readonly customAgent: CodingAgent | null;
	readonly signingKey: KeyObject | null;
	readonly openWorkspace: typeof openWorkspace;
	readonly openSandbox: typeof openSandbox;
}

/** Reads the caller's options at the door; every problem is reported at once. */
export function resolveLaunch(options: EvolveOptions): LaunchSettings {
	const path = (value: string | undefined) => (value === undefined ? null : absolutePath(value, options.workingFolder));
	const agent = typeof options.agent === 'string' ? parseAgentName(options.agent) : options.agent.name;
	const parsed = launchSettingsSchema.safeParse({
		goal: options.goal,
		agent,
		agentCommand: options.agentCommand ?? null,
		initialRepo: options.initialRepo === undefined ? null : seedLocation(options.initialRepo, options.workingFolder),
		includeUncommitted: options.includeUncommitted ?? false,
		evalDir: path(options.evalDir),
		privateEvalDir: path(options.privateEvalDir),
		dataDir: path(options.dataDir),
		evaluation: options.evaluation ?? null,
		parentPolicy: options.parentPolicy ?? 'best',
		maxIterations: options.maxIterations ?? 10,
		parallel: options.parallel ?? 1,
		evaluationConcurrency: options.evaluationConcurrency ?? 1,
		timeBudgetMinutes: options.timeBudgetMinutes ?? null,
		costBudget: options.costBudget ?? null,
		finalizationReserveMinutes: options.finalizationReserveMinutes ?? 0,
		agentDeadlineMinutes: options.agentDeadlineMinutes ?? 60,
		agentVariables: options.agentVariables ?? [],
		trialBudget: options.trialBudget ?? 20,
		seed: options.seed ?? 1,
		requireIsolation: options.requireIsolation ?? false,
		iterationEvaluatorFailurePolicy: options.iterationEvaluatorFailurePolicy ?? 'record',
		iterationEvaluatorDeadlineMinutes: options.iterationEvaluatorDeadlineMinutes ?? 30,
		selectionMetric: options.selectionMetric ?? null,
		selectionDirection: options.selectionDirection ?? null,
		holdoutMetrics: options.holdoutMetrics ?? [],
		maxHoldoutLooks: options.maxHoldoutLooks ?? null,
		mode: options.mode ?? null,
		workDir: path(options.workDir),
	});
	const problems = parsed.success
		? []
		: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
	if (options.evalDir !== undefined && options.privateEvalDir !== undefined) {
		problems.push('evalDir and privateEvalDir: a suite is either in the clones or it is not; give one');
	}
	problems.push(...selectionProblems(options));
	for (const name of ['allowLegacyCheckpoint', 'adopt'] as const) {
		if (options[name] && !options.resume) problems.push(`${name}: says nothing without resume`);
	}
	if (agent === 'command' && options.agentCommand === undefined && typeof options.agent === 'string') {
		problems.push('agentCommand: the agent "command" needs the program to run');
	}
	if (
		options.timeBudgetMinutes !== undefined &&
		(options.finalizationReserveMinutes ?? 0) >= options.timeBudgetMinutes &&
		options.finalizationReserveMinutes
	) {
		problems.push('finalizationReserveMinutes: must be less than timeBudgetMinutes');
	}
	if (!parsed.success || problems.length > 0) {
		throw new KapsoError({
			code: 'OPTIONS_INVALID',
			category: 'usage',
			message: `the campaign was not started: ${problems.join('; ')}`,
			hint: 'nothing was created; correct the options named above and start again',
			data: { problems },
		});
	}
	return parsed.data;
}

/** A metric that selects is a validation metric; one that is held out may never be the same. */
function selectionProblems(options: EvolveOptions): string[] {
	const { selectionMetric, selectionDirection, holdoutMetrics = [], iterationEvaluator } = options;
	const problems: string[] = [];
	if ((selectionMetric === undefined) !== (selectionDirection === undefined)) {
		problems.push('selectionMetric and selectionDirection: one says nothing without the other');
	}
	if (selectionMetric !== undefined && holdoutMetrics.includes(selectionMetric)) {
		problems.push(`selectionMetric: ${selectionMetric} is held out; selecting by it would use the holdout up`);
	}
	if (selectionMetric !== undefined && iterationEvaluator === undefined) {
		problems.push('selectionMetric: no iterationEvaluator is there to measure it');
	}
	return problems;
}

export function surroundingsOf(
	options: Omit<EvolveOptions, 'goal' | 'outputPath' | 'agent'> & { agent?: EvolveOptions['agent'] },
): Surroundings {
	const environment = Object.fromEntries(
		Object.entries(options.environment ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
	);
	return {
		clock: options.clock ?? systemClock,
		ids: options.ids ?? randomIds,
		logger: options.logger ?? createDefaultLogger(),
		environment,
		path: environment.PATH ?? '/usr/local/bin:/usr/bin:/bin',
		nodeProgram: options.nodeProgram ?? process.execPath,
		signal: options.signal,
		customAgent: typeof options.agent === 'object' ? options.agent : null,
		signingKey: options.signingKey === undefined ? null : parsePrivateKey(options.signingKey),
		openWorkspace,
		openSandbox,
	};
}

/** An absolute path, or one relative to the folder that the caller named. */
export function absolutePath(value: string, workingFolder: string | undefined): string {
	if (isAbsolute(value)) return resolve(value);
	if (workingFolder !== undefined) return resolve(workingFolder, value);
	throw new KapsoError({
		code: 'PATH_NOT_ABSOLUTE',
		category: 'usage',
		message: `the path ${value} is relative and no workingFolder was given`,
		hint: 'nothing was touched; give an absolute path, or workingFolder beside it',
		data: { path: value },
	});
}

/** URLs and scp-like addresses stay as they are; everything else is a path. */
function seedLocation(value: string, workingFolder: string | undefined): string {
	return /^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^[^/\\]+@[^/\\]+:/.test(value)
		? value
		: absolutePath(value, workingFolder);
}
