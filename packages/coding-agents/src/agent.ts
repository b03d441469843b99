import type { AgentReport } from '@kapso-evolve/contracts';
import type { AgentView, Sandbox } from '@kapso-evolve/process';

/** A program that changes the files of a folder and says what it did. One value may run many attempts at a time. */
export interface CodingAgent {
	readonly name: string;
	/** Whatever tells two agents of one name apart; part of a campaign's fingerprint. */
	readonly version: string;
	/**
	 * The agent can go on with a session of its own after its process died (`AgentRequest.sessionId`), given the `home`
	 * that the session lives in. Default: it starts afresh.
	 */
	readonly resumesSessions?: boolean;
	/**
	 * One attempt. Resolves for everything that an agent can do; rejects only with `KapsoError` of category
	 * `infrastructure` (the program is missing, the machine cannot start it) or `usage`.
	 */
	run(request: AgentRequest): Promise<AgentOutcome>;
}

export interface AgentRequest {
	/** Given on stdin: an argument can be read by every process of the machine. */
	readonly prompt: string;
	/** The agent's clone, and its working directory. */
	readonly folder: string;
	/** `HOME` and `TMPDIR` of the agent: throw-away folders of the caller. */
	readonly home: string;
	readonly temporaryFolder: string;
	/** `PATH` of the agent. */
	readonly path: string;
	/** Further variables. They never replace those that the engine sets. */
	readonly environment: Readonly<Record<string, string>>;
	/** `KAPSO_RUN_ID`: the marker by which left-over processes are found. */
	readonly runId: string;
	/** `KAPSO_NONCE`: new for each attempt; only a report that carries it counts. */
	readonly nonce: string;
	/** `KAPSO_REPORT_PATH`: absolute, outside the clone, in a folder that exists and holds no such file. */
	readonly reportPath: string;
	/** `KAPSO_TRY`; null leaves the variable out. */
	readonly tryCommand: readonly string[] | null;
	/** A session of this agent that an engine's death interrupted, in `home`; the clone is as at its beginning. */
	readonly sessionId?: string;
	/**
	 * Called once the session has a name. What the agent says to its model before this resolves may be paid for twice: the
	 * name is on the disk when it does.
	 */
	readonly onSession?: (sessionId: string) => Promise<void>;
	/** For the whole process tree. */
	readonly deadlineMs: number;
	readonly sandbox: Sandbox;
	/** Folders that the agent does not see, or sees read-only; without a sandbox it sees all. Default: none. */
	readonly view?: AgentView;
	readonly signal?: AbortSignal;
	/** The agent's newest words, for progress only. What it throws is ignored. */
	readonly onActivity?: (text: string) => void;
}

export type AgentStatus = 'reported' | 'no-report' | 'failed' | 'timed-out' | 'aborted';

/** How an attempt ended, as data. `report` and its cost are there for every status whose agent left a whole report. */
export interface AgentOutcome {
	readonly status: AgentStatus;
	readonly report: AgentReport | null;
	readonly exitCode: number | null;
	/** Why the status is not `reported`; null when it is. */
	readonly reason: string | null;
	/** Dollars; null: not known, which is not zero. */
	readonly costUsd: number | null;
	readonly sessionId: string | null;
	readonly model: string | null;
	/** The last MiB of what the agent printed on both streams, in order of arrival. */
	readonly transcript: string;
	readonly durationMs: number;
}
