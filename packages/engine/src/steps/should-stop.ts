import type { StoppedReason } from '@kapso-evolve/contracts';
import type { Campaign } from '../campaign.ts';
import { type CampaignState, completedIterations, totalCost } from '../state.ts';

export interface Stop {
	readonly reason: StoppedReason;
	readonly detail: string | null;
}

/** What a predicate may look at. */
export interface Progress {
	readonly state: CampaignState;
	readonly elapsedMs: number;
	readonly costUsd: number;
	readonly timeBudgetMs: number | null;
	readonly costBudget: number | null;
	readonly reserveMs: number;
}

/** A reason to stop before the next iteration, or null. */
export type StopPredicate = (progress: Progress) => Stop | null;

/** In this order: a reached goal ends the campaign whatever else is true. */
const predicates: readonly StopPredicate[] = [goalReached, scorerBroken, sliceDone, timeSpent, moneySpent];

export function shouldStop(campaign: Campaign): Stop | null {
	const { timeBudgetMinutes, costBudget, finalizationReserveMinutes } = campaign.settings;
	const state = campaign.state();
	const progress: Progress = {
		state,
		elapsedMs: campaign.elapsedMs(),
		costUsd: totalCost(state),
		timeBudgetMs: timeBudgetMinutes === null ? null : timeBudgetMinutes * 60_000,
		costBudget,
		reserveMs: finalizationReserveMinutes * 60_000,
	};
	for (const predicate of [...predicates, ...campaign.stopWhen]) {
		const stop = predicate(progress);
		if (stop !== null) return stop;
	}
	return null;
}

function goalReached({ state }: Progress): Stop | null {
	return state.nodes.some((node) => node.shouldStop && node.evaluationValid)
		? { reason: 'goal_achieved', detail: null }
		: null;
}

/** CONTRACTS 2: three scorer crashes in a row are the suite's fault, not three candidates'. */
function scorerBroken({ state }: Progress): Stop | null {
	const recent = state.nodes.slice(-3);
	const broken =
		recent.length === 3 &&
		recent.every((node) => node.code === 'SCORER_CRASH') &&
		recent[0]!.iteration > state.sliceStart;
	return broken ? { reason: 'infrastructure', detail: 'scorer_crash' } : null;
}

function sliceDone({ state }: Progress): Stop | null {
	const done = completedIterations(state) - state.sliceStart;
	return done >= state.sliceTarget ? { reason: 'max_iterations', detail: null } : null;
}

function timeSpent({ elapsedMs, timeBudgetMs, reserveMs }: Progress): Stop | null {
	if (timeBudgetMs === null) return null;
	if (elapsedMs >= timeBudgetMs) return { reason: 'budget_exhausted', detail: 'time_budget' };
	return reserveMs > 0 && elapsedMs >= timeBudgetMs - reserveMs
		? { reason: 'budget_exhausted', detail: 'finalization_reserve' }
		: null;
}

/** Zero means zero. */
function moneySpent({ costUsd, costBudget }: Progress): Stop | null {
	return costBudget !== null && costUsd >= costBudget ? { reason: 'budget_exhausted', detail: 'cost_budget' } : null;
}
