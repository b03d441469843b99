import { decodeNode } from '@kapso-evolve/checkpoint';
import {
	type LedgerLine,
	type Outcome,
	type SearchNode,
	type StoppedReason,
	stoppedReasonSchema,
} from '@kapso-evolve/contracts';

/** The parent that every step of one attempt works with (milestone 9: one pair, reused). */
export interface Parent {
	readonly branch: string;
	readonly commit: string;
	readonly nodeId: number | null;
	readonly reason: string;
}

/** The attempt between its `intent` line and its `recorded` line: what each finished step left in the ledger. */
export interface Flight {
	readonly nodeId: number;
	readonly attempt: number;
	readonly iteration: number;
	readonly parent: Parent;
	readonly branch: string;
	readonly runId: string;
	readonly nonce: string;
	readonly startedAt: string;
	/** Of the agent's own session: this attempt's, or the lost one's that it goes on with. */
	readonly sessionId: string | null;
	/** A `cost` line of this attempt exists. */
	readonly paid: boolean;
	readonly steps: Readonly<Partial<Record<StepName, Readonly<Record<string, unknown>>>>>;
}
export type StepName = 'agent' | 'finalised' | 'integrity' | 'evaluated' | 'feedback' | 'external';

export interface Baseline {
	readonly outcome: Outcome;
	readonly score: number | null;
	readonly error: string | null;
}

/** Everything a campaign knows, derived from its ledger and from nothing else. */
export interface CampaignState {
	readonly nodes: readonly SearchNode[];
	readonly baseline: Baseline | null;
	/** Attempts between intent and record, by node id; several with parallel lanes. */
	readonly flights: readonly Flight[];
	/** Sums of the `cost` lines by component, lost attempts included; dollars. */
	readonly costByComponent: Readonly<Record<string, number>>;
	readonly costUnknown: boolean;
	readonly elapsedMs: number;
	readonly slice: number;
	/** Iterations recorded before this slice began, and how many this slice is to run. */
	readonly sliceStart: number;
	readonly sliceTarget: number;
	readonly sliceOpen: boolean;
	readonly lastStop: { readonly reason: StoppedReason; readonly detail: string | null } | null;
	readonly completed: boolean;
}

export const emptyState: CampaignState = {
	nodes: [],
	baseline: null,
	flights: [],
	costByComponent: {},
	costUnknown: false,
	elapsedMs: 0,
	slice: 0,
	sliceStart: 0,
	sliceTarget: 0,
	sliceOpen: false,
	lastStop: null,
	completed: false,
};

/**
 * The one fold. A running campaign applies each line after it is durable; a resumed one applies all of them: both
 * know the same thing because there is no other way to know anything.
 */
export function applyLine(state: CampaignState, line: LedgerLine): CampaignState {
	const next = typeof line.data.elapsed_ms === 'number' ? { ...state, elapsedMs: line.data.elapsed_ms } : state;
	const data = line.data as Record<string, unknown>;
	switch (line.type) {
		case 'slice':
			return {
				...next,
				slice: line.slice,
				sliceStart: completedIterations(state),
				sliceTarget: data.target as number,
				sliceOpen: true,
				lastStop: null,
			};
		case 'intent':
			return { ...next, flights: withFlight(next.flights, startFlight(line)) };
		case 'cost': {
			const component = data.component as string;
			const flights = next.flights.map((flight) => (isOf(flight, line) ? { ...flight, paid: true } : flight));
			if (typeof data.usd !== 'number') return { ...next, flights, costUnknown: true };
			const sum = (next.costByComponent[component] ?? 0) + data.usd;
			return { ...next, flights, costByComponent: { ...next.costByComponent, [component]: sum } };
		}
		case 'evaluated':
			return line.node_id === null ? { ...next, baseline: baselineOf(data) } : withStep(next, line, 'evaluated');
		case 'agent':
			// The agent has a session and works: no step is done, and a resume knows where to go on.
			if (data.status === 'started')
				return mapFlight(next, line, (flight) => ({ ...flight, sessionId: data.session_id as string }));
			return withStep(next, line, line.type);
		case 'finalised':
		case 'integrity':
		case 'feedback':
		case 'external':
			return withStep(next, line, line.type);
		case 'recorded':
			return {
				...next,
				nodes: [...next.nodes, decodeNode(data.node as Record<string, unknown>)],
				flights: next.flights.filter((flight) => flight.nodeId !== line.node_id),
			};
		case 'confirmed':
			return { ...next, nodes: next.nodes.map((node) => (node.nodeId === line.node_id ? confirm(node, data) : node)) };
		case 'repaired':
			return data.abandoned === true ? mapFlight(next, line, (flight) => ({ ...flight, steps: {} })) : next;
		case 'stopped':
			return {
				...next,
				sliceOpen: data.reason === 'infrastructure' || data.reason === 'interrupted',
				lastStop: { reason: stoppedReasonSchema.parse(data.reason), detail: (data.detail as string | null) ?? null },
				completed: data.reason === 'goal_achieved',
			};
		default:
			return next;
	}
}

export function foldLedger(lines: readonly LedgerLine[]): CampaignState {
	return lines.reduce(applyLine, emptyState);
}

/** Derived, never stored twice: the highest campaign iteration that has a recorded candidate. */
export function completedIterations(state: CampaignState): number {
	return state.nodes.reduce((highest, node) => Math.max(highest, node.iteration), 0);
}

export function totalCost(state: CampaignState): number {
	return Object.values(state.costByComponent).reduce((sum, usd) => sum + usd, 0);
}

function startFlight(line: LedgerLine): Flight {
	const data = line.data as Record<string, string | number | null>;
	return {
		nodeId: line.node_id!,
		attempt: line.attempt!,
		iteration: data.iteration as number,
		parent: {
			branch: data.parent_branch as string,
			commit: data.parent_commit as string,
			nodeId: data.parent_node_id as number | null,
			reason: data.parent_reason as string,
		},
		branch: data.branch as string,
		runId: data.run_id as string,
		nonce: data.nonce as string,
		startedAt: line.time,
		sessionId: (data.session_id as string | undefined) ?? null,
		paid: false,
		steps: {},
	};
}

function withStep(state: CampaignState, line: LedgerLine, step: StepName): CampaignState {
	return mapFlight(state, line, (flight) => ({ ...flight, steps: { ...flight.steps, [step]: line.data } }));
}

function mapFlight(state: CampaignState, line: LedgerLine, change: (flight: Flight) => Flight): CampaignState {
	return { ...state, flights: state.flights.map((flight) => (isOf(flight, line) ? change(flight) : flight)) };
}

/** A new attempt takes the place of a lost one of the same node. */
function withFlight(flights: readonly Flight[], flight: Flight): Flight[] {
	return [...flights.filter(({ nodeId }) => nodeId !== flight.nodeId), flight].sort((a, b) => a.nodeId - b.nodeId);
}

function isOf(flight: Flight, line: LedgerLine): boolean {
	return flight.nodeId === line.node_id && flight.attempt === line.attempt;
}

function baselineOf(data: Record<string, unknown>): Baseline {
	return {
		outcome: data.outcome as Outcome,
		score: (data.score as number | null) ?? null,
		error: (data.error as string | null) ?? null,
	};
}

function confirm(node: SearchNode, data: Record<string, unknown>): SearchNode {
	return { ...node, confirmation: data.reproduced === true ? 'confirmed' : 'unreproduced' };
}
