import type { LegacyCampaign } from '@kapso-evolve/checkpoint';
import { describeThrown, KapsoError, type SearchNode } from '@kapso-evolve/contracts';
import { evaluatorIdentity, type IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import { adoptCampaign } from './adopt/adopt-campaign.ts';
import { findLegacy } from './adopt/find-legacy.ts';
import { finishAdoption } from './adopt/publish-adoption.ts';
import { createAgent } from './agents.ts';
import type { Campaign } from './campaign.ts';
import { createCampaign } from './create-campaign.ts';
import { deliver } from './deliver.ts';
import { inspectInputs } from './evaluation-inputs.ts';
import { evaluatorFromIdentity } from './evaluator-from-identity.ts';
import { loadLaunch } from './launch.ts';
import { runSlice } from './loop.ts';
import { type OpenOptions, openCampaign } from './open-campaign.ts';
import type { EvolveOptions, ResumeOptions } from './options.ts';
import type { SolutionResult } from './result.ts';
import { absolutePath, type LaunchSettings, resolveLaunch, type Surroundings, surroundingsOf } from './settings.ts';
import { completedIterations } from './state.ts';
import { confirmBest } from './steps/confirm-best.ts';
import { recordStop } from './steps/record-stop.ts';
import { bestNode } from './steps/select-parent.ts';
import type { Stop } from './steps/should-stop.ts';
import { validateCampaign } from './validate-campaign.ts';

/**
 * Runs a campaign, or with `resume` one more slice of it, and delivers its best proven candidate.
 *
 * Rejects with a `KapsoError`: `usage` before anything was created or touched; `locked` when another process holds the
 * campaign; `infrastructure` with everything saved for a resume; `DeliveryError`, which carries the complete result,
 * when only the checkout was refused. An abort of `signal` is no error: the result says `interrupted`.
 */
export function evolve(options: EvolveOptions): Promise<SolutionResult> {
	return evolveIn(surroundingsOf(options), options);
}

export async function evolveIn(surroundings: Surroundings, options: EvolveOptions): Promise<SolutionResult> {
	const settings = resolveLaunch(options);
	const folder = absolutePath(options.outputPath, options.workingFolder);
	const resumed = options.resume === true;
	const legacy = resumed ? await findLegacyCampaign(folder, options) : null;
	const launch = resumed && legacy === null ? await loadLaunch(folder) : null;
	const prepared = await prepare({ folder, settings, surroundings, evaluator: options.iterationEvaluator ?? null });
	if (legacy !== null) await adoptCampaign({ ...prepared, legacy });
	const uncommitted = resumed ? [] : await createCampaign(prepared);
	return await runCampaign({
		...prepared,
		launch: launch ?? (await loadLaunch(folder)),
		stopWhen: options.stopWhen ?? [],
		onEvent: options.onEvent,
		iterations: { kind: 'finish-or', count: settings.maxIterations },
		resumed,
		uncommitted,
	});
}

/** A campaign of a Python release, when that is what is to be resumed and the caller said so. */
async function findLegacyCampaign(folder: string, options: EvolveOptions): Promise<LegacyCampaign | null> {
	await finishAdoption(folder);
	return await findLegacy(folder, {
		adopt: options.adopt === true,
		allowLegacyCheckpoint: options.allowLegacyCheckpoint === true,
	});
}

/** Continues the campaign in a folder with the settings it was started with; budgets and iterations may be new. */
export function resumeCampaign(outputPath: string, options: ResumeOptions = {}): Promise<SolutionResult> {
	return resumeIn(surroundingsOf(options), outputPath, options);
}

export async function resumeIn(
	surroundings: Surroundings,
	outputPath: string,
	options: ResumeOptions,
): Promise<SolutionResult> {
	const folder = absolutePath(outputPath, options.workingFolder);
	await finishAdoption(folder);
	await findLegacy(folder, { adopt: false, allowLegacyCheckpoint: false });
	const launch = await loadLaunch(folder);
	const { maxIterations } = options;
	const settings: LaunchSettings = {
		...launch.settings,
		timeBudgetMinutes: options.timeBudgetMinutes ?? launch.settings.timeBudgetMinutes,
		costBudget: options.costBudget ?? launch.settings.costBudget,
		finalizationReserveMinutes: options.finalizationReserveMinutes ?? launch.settings.finalizationReserveMinutes,
	};
	const evaluator = options.iterationEvaluator ?? evaluatorFromIdentity(launch.evaluatorIdentity, surroundings);
	return await runCampaign({
		...(await prepare({ folder, settings, surroundings, evaluator })),
		launch,
		stopWhen: options.stopWhen ?? [],
		onEvent: options.onEvent,
		iterations: maxIterations === undefined ? { kind: 'finish-or', count: 0 } : { kind: 'more', count: maxIterations },
		resumed: true,
		uncommitted: [],
	});
}

type Prepared = Pick<
	OpenOptions,
	'folder' | 'settings' | 'surroundings' | 'inputs' | 'sandbox' | 'evaluator' | 'evaluatorIdentity'
>;

/** Everything that can be found wrong before a campaign is created or touched. */
async function prepare(
	options: Pick<Prepared, 'folder' | 'settings' | 'surroundings' | 'evaluator'>,
): Promise<Prepared> {
	const { folder, settings, surroundings, evaluator } = options;
	createAgent(settings, surroundings);
	const sandbox = await surroundings.openSandbox({ path: surroundings.path });
	const inputs = await inspectInputs({ settings, output: folder, sandbox });
	return { ...options, sandbox, inputs, evaluatorIdentity: await checkEvaluator(evaluator) };
}

async function runCampaign(
	options: OpenOptions & { readonly resumed: boolean; readonly uncommitted: readonly string[] },
): Promise<SolutionResult> {
	await validateCampaign(options);
	await using campaign = await openCampaign(options);
	announce(campaign, options);
	const iterationsBefore = completedIterations(campaign.state());
	let ended: Ended;
	try {
		ended = await runUntilStopped(campaign);
	} catch (error) {
		await recordFailure(campaign, error);
		throw error;
	}
	return await deliver(campaign, { ...ended, iterationsBefore, resumed: options.resumed });
}

interface Ended {
	readonly stop: Stop;
	readonly best: SearchNode | null;
}

/** Runs the slice and has its winner reproduced; an interruption is an end like every other. */
async function runUntilStopped(campaign: Campaign): Promise<Ended> {
	try {
		const stop = await runSlice(campaign);
		const best = stop.reason === 'infrastructure' ? bestNode(campaign) : await confirmBest(campaign);
		return { stop, best };
	} catch (error) {
		if (!KapsoError.isInstance(error) || error.category !== 'interrupted') throw error;
		return { stop: { reason: 'interrupted', detail: null }, best: null };
	}
}

/** The slice stays open: a resume finishes it. A campaign that lost its lock may not write another line. */
async function recordFailure(campaign: Campaign, error: unknown): Promise<void> {
	const known = KapsoError.isInstance(error) ? error : null;
	if (known?.category === 'locked') return;
	try {
		await recordStop(campaign, { reason: 'infrastructure', detail: known?.code ?? 'UNEXPECTED' });
	} catch (second) {
		// On a broken disk nothing can be recorded; the caller hears of what broke first.
		campaign.surroundings.logger.warn({ error: describeThrown(second) }, 'the end of the slice was not recorded');
	}
}

function announce(
	campaign: Campaign,
	options: {
		readonly resumed: boolean;
		readonly inputs: OpenOptions['inputs'];
		readonly uncommitted: readonly string[];
	},
): void {
	campaign.emit({
		type: 'opened',
		output: campaign.folder,
		resumed: options.resumed,
		level: campaign.level,
		isolation: campaign.isolation,
		reason: options.inputs.reason,
	});
	if (options.uncommitted.length > 0) {
		campaign.emit({
			type: 'warning',
			code: 'SEED_UNCOMMITTED',
			message: `${options.uncommitted.length} uncommitted or untracked files of the initial repository were not taken along (--include-uncommitted takes them): ${options.uncommitted.slice(0, 5).join(', ')}`,
		});
	}
}

/** Asks an evaluator, before anything is spent, who it is and whether it could ever work. */
async function checkEvaluator(evaluator: IterationEvaluator | null): Promise<string | null> {
	if (evaluator === null) return null;
	const identity = evaluatorIdentity(evaluator);
	if ('check' in evaluator) await evaluator.check?.();
	return identity;
}
