import type { NotProven } from '@kapso-evolve/eval-integrity';
import type { FileContent } from '@kapso-evolve/testkit';
import type { Arena } from './arena.ts';
import type { Language } from './language.ts';

/** What a candidate's folder gets: content, or null for "removed". Paths from the root of the clone. */
export type Change = Readonly<Record<string, FileContent | null>>;

/** The agent's clone while the agent is at work, and what the trick may know of the place. */
export interface Site {
	readonly arena: Arena;
	readonly language: Language;
	/** The clone: everything that an agent may write to. */
	readonly folder: string;
	/** Touched by code of the candidate's that ran outside of any sandbox. */
	readonly mark: string;
	/** Where the engine's machine answers on loopback with the labels; and the same as an abstract socket. */
	readonly port: number;
	readonly socket: string;
}

/** A moment after the candidate was finalised or verified, for tricks that come late. */
export interface Later extends Site {
	readonly commit: string;
	readonly branch: string;
	readonly workFolder: string;
}

/**
 * `REJ`: the candidate gets no score. `NEU`: it gets exactly what its program earns. `REP`: it may get more, or the trick
 * is out of reach, and the record names it.
 */
export type Ending = 'REJ' | 'NEU' | 'REP';

/** One trick in one language. */
export interface TamperCase {
	readonly name: string;
	/** Ids of the lists of cases: TAMPER T…, DEFECTS D…, FIELD-REPORTS E…. */
	readonly ids: readonly string[];
	readonly language: Language;
	readonly expect: Ending;
	/** For `REP`: what the record must name. */
	readonly says?: NotProven;
	/** It works on the run phase or on what that leaves, so a suite without one has nothing to attack. */
	readonly needsRun?: boolean;
	/** It succeeds exactly because its code runs in the scorer's process or view: accepted at `suite-sealed`, and named. */
	readonly inProcess?: boolean;
	/** What it does to a machine without a sandbox is not to be tried. */
	readonly needsSandbox?: boolean;
	/** Written into the clone before the trick itself acts. */
	readonly change: Change;
	readonly act?: (site: Site) => Promise<void>;
	readonly afterFinalise?: (later: Later) => Promise<void>;
	readonly afterVerify?: (later: Later) => Promise<void>;
	/** True when the trick had an effect of another kind than a better score. */
	readonly harm?: (later: Later) => Promise<boolean>;
}

export interface HonestCase {
	readonly name: string;
	readonly language: Language;
	/** What its program earns: `base` is the program that everybody starts from, `perfect` a better one. */
	readonly earns: 'base' | 'perfect';
	readonly change: Change;
	readonly act?: (site: Site) => Promise<void>;
}
