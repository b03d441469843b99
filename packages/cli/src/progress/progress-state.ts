import type { BestSoFar, CampaignEvent } from '@kapso-evolve/engine';

/** What a live view shows of a campaign: a fold over its events. */
export interface ProgressState {
	readonly level: string;
	readonly phase: string;
	readonly nodeId: number | null;
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
		nodeId: null,
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
			return { ...state, iteration: state.iteration + 1, nodeId: event.nodeId, phase: 'choosing', activity: '' };
		case 'phase':
			return { ...state, nodeId: event.nodeId, phase: phases[event.phase] ?? event.phase };
		case 'activity':
			return { ...state, activity: event.text };
		case 'trial':
			return { ...state, activity: `trial: ${event.score ?? event.outcome}, ${event.remaining} left` };
		case 'recorded':
			return {
				...state,
				best: event.best,
				costUsd: event.costUsd,
				recorded: state.recorded + 1,
				valid: state.valid + (event.node.outcome === 'scored' ? 1 : 0),
				activity: '',
			};
		case 'confirming':
			return { ...state, nodeId: event.nodeId, phase: 'confirming the winner' };
		case 'stopped':
			return { ...state, phase: `stopped: ${event.reason}`, nodeId: null, activity: '' };
		case 'warning':
			return state;
	}
}
