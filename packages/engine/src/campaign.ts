import type { CampaignLock, Fingerprint, Ledger, openRecords, RunState } from '@kapso-evolve/checkpoint';
import type { CodingAgent } from '@kapso-evolve/coding-agents';
import type {
	EvaluationFile,
	EvaluationLevel,
	Isolation,
	LedgerEntry,
	LedgerLine,
	Objective,
} from '@kapso-evolve/contracts';
import { KapsoError } from '@kapso-evolve/contracts';
import type { DataSnapshot, Suite } from '@kapso-evolve/eval-integrity';
import type { IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import type { Sandbox } from '@kapso-evolve/process';
import type { SearchStrategy } from '@kapso-evolve/search';
import type { Workspace } from '@kapso-evolve/workspace-git';
import type { CampaignEvent } from './events.ts';
import type { Launch } from './launch.ts';
import type { LaunchSettings, Surroundings } from './settings.ts';
import { applyLine, type CampaignState } from './state.ts';
import type { StopPredicate } from './steps/should-stop.ts';
import type { Turns } from './turns.ts';

/** An open campaign: what the steps of an iteration are given. Only `append` changes what it knows. */
export interface Campaign {
	/** The campaign folder, absolute. */
	readonly folder: string;
	/** Clones, scratch folders: outside the campaign folder. */
	readonly stateFolder: string;
	readonly launch: Launch;
	/** As in `launch`, with this call's budgets. */
	readonly settings: LaunchSettings;
	readonly fingerprint: Fingerprint;
	readonly surroundings: Surroundings;
	readonly workspace: Workspace;
	readonly sandbox: Sandbox;
	readonly suite: Suite | null;
	readonly data: DataSnapshot | null;
	readonly level: EvaluationLevel;
	readonly isolation: Isolation;
	readonly evaluator: IterationEvaluator | null;
	readonly stopWhen: readonly StopPredicate[];
	readonly lock: CampaignLock;
	readonly records: ReturnType<typeof openRecords>;
	/** Branches that were there when the campaign was opened: no new attempt takes one of their names. */
	readonly takenBranches: ReadonlySet<string>;
	agentFor(nodeId: number): CodingAgent;
	/** SHA-256 of programs that suites start, so that Node's hundred megabytes are read once. */
	readonly programHashes: Map<string, Promise<string>>;
	/** The strategy over the candidates so far. */
	strategy(): SearchStrategy;
	saveState(state: RunState): Promise<void>;
	/** Waits until a scoring run may start (`evaluationConcurrency`). */
	readonly scoring: Turns;
	/** What the ledger says so far. */
	state(): CampaignState;
	/** Milliseconds of campaign time, earlier slices included. */
	elapsedMs(): number;
	/** Makes a line durable, then folds it in. */
	append(entry: LedgerEntry): Promise<LedgerLine>;
	/** The last durable line. */
	position(): LedgerPosition;
	emit(event: CampaignEvent): void;
	/** Throws `INTERRUPTED` once the caller's signal is aborted. */
	throwIfInterrupted(): void;
}

/** Where in the ledger a campaign stands. */
export interface LedgerPosition {
	readonly sha256: string;
	readonly seq: number;
}

/** The ledger, the fold over it and the clock, as one thing: nobody can know a line that is not on the disk. */
export function createJournal(options: {
	readonly ledger: Ledger;
	readonly lock: CampaignLock;
	readonly state: CampaignState;
	readonly surroundings: Surroundings;
	/** Called with each line once it is durable, before anyone acts on it. */
	readonly onDurable: (line: LedgerLine) => Promise<void>;
}): Pick<Campaign, 'state' | 'elapsedMs' | 'append' | 'position' | 'throwIfInterrupted'> {
	const { ledger, lock, surroundings } = options;
	const startedMs = surroundings.clock.monotonicMs();
	const carriedMs = options.state.elapsedMs;
	let state = options.state;
	let seq = ledger.lines.length - 1;
	let queue: Promise<unknown> = Promise.resolve();
	return {
		state: () => state,
		elapsedMs: () => Math.round(carriedMs + surroundings.clock.monotonicMs() - startedMs),
		position: () => ({ sha256: ledger.head, seq }),
		append(entry) {
			const appended = queue.then(async () => {
				await lock.assertHeld();
				const line = await ledger.append(entry);
				seq = line.seq;
				state = applyLine(state, line);
				await options.onDurable(line);
				return line;
			});
			queue = appended.catch(() => {}); // whoever appended hears of it; the next one tries for itself
			return appended;
		},
		throwIfInterrupted() {
			if (!surroundings.signal?.aborted) return;
			throw new KapsoError({
				code: 'INTERRUPTED',
				category: 'interrupted',
				message: 'the campaign was interrupted',
				hint: 'everything finished is saved; resume continues it',
				data: {},
				cause: surroundings.signal.reason,
			});
		},
	};
}

export function objectiveOf(campaign: Pick<Campaign, 'suite'>): Objective {
	return campaign.suite?.evaluation?.objective ?? 'maximize';
}

export function evaluationOf(campaign: Pick<Campaign, 'suite'>): EvaluationFile | null {
	return campaign.suite?.evaluation ?? null;
}

/** True where the engine runs the suite itself; elsewhere the number is the agent's. */
export function isEngineScored(level: EvaluationLevel): level is 'sealed' | 'suite-sealed' | 'unsealed' {
	return level === 'sealed' || level === 'suite-sealed' || level === 'unsealed';
}
