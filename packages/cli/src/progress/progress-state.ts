import type { BestSoFar, CampaignEvent } from '@kapso-evolve/engine';
import { formatNumber } from '../format.ts';

/** What a live view shows of a campaign: a fold over its events. */
export interface ProgressState {
	readonly level: string;
	/** What the campaign as a whole is doing, when no candidate is in the making. */
	readonly phase: string;
	/** Candidates in the making, each with what happens to it. */
	readonly active: ReadonlyMap<number, string>;
	/** One-based, counted over resumes. */
	readonly iteration: number;
	readonly iterations: number | null;
	readonly baseline: number | null;
	readonly best: BestSoFar | null;
	readonly costUsd: number;
	readonly recorded: number;
	readonly valid: number;
	readonly activity: string;
}

export function initialProgress(iterations: number | null): ProgressState {
	return {
		level: '',
		phase: 'opening',
		active: new Map(),
		iteration: 0,
		iterations,
		baseline: null,
		best: null,
		costUsd: 0,
		recorded: 0,
		valid: 0,
		activity: '',
	};
}

const phases: Readonly<Record<string, string>> = {
	agent: 'agent at work',
	finalise: 'taking the candidate in',
	verify: 'checking integrity',
	evaluate: 'scoring',
	external: 'external evaluation',
	record: 'recording',
};

export function foldProgress(state: ProgressState, event: CampaignEvent): ProgressState {
	switch (event.type) {
		case 'opened':
			return { ...state, level: `${event.level}, isolation ${event.isolation}`, phase: 'scoring the baseline' };
		case 'baseline':
			return { ...state, baseline: event.score };
		case 'iteration':
			return withPhase({ ...state, iteration: event.iteration, activity: '' }, event.nodeId, 'starting');
		case 'phase':
			return withPhase(state, event.nodeId, phases[event.phase] ?? event.phase);
		case 'activity':
			return { ...state, activity: event.text };
		case 'trial':
			return {
				...state,
				activity: `trial: ${event.score === null ? event.outcome : formatNumber(event.score)}, ${event.remaining} left`,
			};
		case 'recorded':
			return {
				...withPhase(state, event.node.nodeId, null),
				best: event.best,
				costUsd: event.costUsd,
				recorded: state.recorded + 1,
				valid: state.valid + (event.node.outcome === 'scored' ? 1 : 0),
				activity: '',
			};
		case 'confirming':
			return { ...state, phase: `confirming the winner · candidate ${event.nodeId}` };
		case 'stopped':
			return { ...state, phase: `stopped: ${event.reason}`, active: new Map(), activity: '' };
		case 'warning':
			return state;
	}
}

/** A candidate's phase; null when it is done. */
function withPhase(state: ProgressState, nodeId: number, phase: string | null): ProgressState {
	const active = new Map(state.active);
	if (phase === null) active.delete(nodeId);
	else active.set(nodeId, phase);
	return { ...state, active };
}
