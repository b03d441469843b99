import { KapsoError, type SearchNode } from '@kapso-evolve/contracts';
import { evaluatorIdentity, type IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import { openSandbox, type Sandbox } from '@kapso-evolve/process';
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
import { saveCampaign } from './save-campaign.ts';
import { absolutePath, type LaunchSettings, resolveLaunch, surroundingsOf } from './settings.ts';
import { completedIterations } from './state.ts';
import { confirmBest } from './steps/confirm-best.ts';
import { strategyOf } from './steps/select-parent.ts';
import type { Stop } from './steps/should-stop.ts';
import { validateCampaign } from './validate-campaign.ts';

/**
 * Runs a campaign, or with `resume` one more slice of it, and delivers its best proven candidate.
 *
 * Rejects with a `KapsoError`: `usage` before anything was created or touched; `locked` when another process holds the
 * campaign; `infrastructure` with everything saved for a resume; `DeliveryError`, which carries the complete result,
 * when only the checkout was refused. An abort of `signal` is no error: the result says `interrupted`.
 */
export async function evolve(options: EvolveOptions): Promise<SolutionResult> {
	const settings = resolveLaunch(options);
	const folder = absolutePath(options.outputPath, options.workingFolder);
	const surroundings = surroundingsOf(options);
	const resumed = options.resume === true;
	const launch = resumed ? await loadLaunch(folder) : null;
	createAgent(settings, surroundings);
	const sandbox = await openSandbox({ path: surroundings.path });
	const inputs = await inspectInputs(settings, sandbox);
	const { evaluator, identity } = await checkEvaluator(options.iterationEvaluator ?? null);
	const uncommitted =
		launch === null
			? await createCampaign({ folder, settings, inputs, evaluatorIdentity: identity, surroundings })
			: [];
	return await runCampaign({
		folder,
		launch: launch ?? (await loadLaunch(folder)),
		settings,
		inputs,
		sandbox,
		evaluator,
		evaluatorIdentity: identity,
		surroundings,
		stopWhen: options.stopWhen ?? [],
		onEvent: options.onEvent,
		iterations: { kind: 'finish-or', count: settings.maxIterations },
		resumed,
		uncommitted,
	});
}

/** Continues the campaign in a folder with the settings it was started with; budgets and iterations may be new. */
export async function resumeCampaign(outputPath: string, options: ResumeOptions = {}): Promise<SolutionResult> {
	const folder = absolutePath(outputPath, options.workingFolder);
	const launch = await loadLaunch(folder);
	const surroundings = surroundingsOf(options);
	const recorded = launch.settings;
	const settings: LaunchSettings = {
		...recorded,
		timeBudgetMinutes: options.timeBudgetMinutes ?? recorded.timeBudgetMinutes,
		costBudget: options.costBudget ?? recorded.costBudget,
		finalizationReserveMinutes: options.finalizationReserveMinutes ?? recorded.finalizationReserveMinutes,
	};
	createAgent(settings, surroundings);
	const sandbox: Sandbox = await openSandbox({ path: surroundings.path });
	const inputs = await inspectInputs(settings, sandbox);
	const rebuilt = options.iterationEvaluator ?? evaluatorFromIdentity(launch.evaluatorIdentity, surroundings);
	const { evaluator, identity } = await checkEvaluator(rebuilt);
	return await runCampaign({
		folder,
		launch,
		settings,
		inputs,
		sandbox,
		evaluator,
		evaluatorIdentity: identity,
		surroundings,
		stopWhen: options.stopWhen ?? [],
		onEvent: options.onEvent,
		iterations:
			options.maxIterations === undefined
				? { kind: 'finish-or', count: 1 }
				: { kind: 'more', count: options.maxIterations },
		resumed: true,
		uncommitted: [],
	});
}

async function runCampaign(
	options: OpenOptions & { readonly resumed: boolean; readonly uncommitted: readonly string[] },
): Promise<SolutionResult> {
	await validateCampaign(options);
	await using campaign = await openCampaign(options);
	announce(campaign, options);
	const iterationsBefore = completedIterations(campaign.state());
	const ended = await runUntilStopped(campaign);
	return await deliver(campaign, { ...ended, iterationsBefore, resumed: options.resumed });
}

/** Runs the slice, has its winner reproduced, and writes down how it ended, whatever that was. */
async function runUntilStopped(campaign: Campaign): Promise<{ stop: Stop; best: SearchNode | null }> {
	let stop: Stop;
	let best: SearchNode | null = null;
	let failure: unknown;
	try {
		stop = await runSlice(campaign);
		best = stop.reason === 'infrastructure' ? strategyOf(campaign).best() : await confirmBest(campaign);
	} catch (error) {
		const { category, code } = KapsoError.isInstance(error)
			? error
			: { category: 'infrastructure', code: 'UNEXPECTED' };
		stop =
			category === 'interrupted' ? { reason: 'interrupted', detail: null } : { reason: 'infrastructure', detail: code };
		failure = category === 'interrupted' ? undefined : error;
		// A campaign that lost its lock or its ledger may not write another line.
		if (category === 'locked') throw error;
	}
	await campaign.append({
		type: 'stopped',
		nodeId: null,
		attempt: null,
		data: { reason: stop.reason, detail: stop.detail, elapsed_ms: campaign.elapsedMs() },
	});
	await saveCampaign(campaign);
	campaign.emit({ type: 'stopped', reason: stop.reason, detail: stop.detail });
	if (failure !== undefined) throw failure;
	return { stop, best };
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
async function checkEvaluator(
	evaluator: IterationEvaluator | null,
): Promise<{ evaluator: IterationEvaluator | null; identity: string | null }> {
	if (evaluator === null) return { evaluator, identity: null };
	const identity = evaluatorIdentity(evaluator);
	if ('check' in evaluator) await evaluator.check?.();
	return { evaluator, identity };
}
