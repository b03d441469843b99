import type { EvaluationFile } from '@kapso-evolve/contracts';
import type { Sandbox } from '@kapso-evolve/process';
import type { Defences } from './defences.ts';
import type { PhaseRecord } from './evaluation-record.ts';
import type { ProgramSearch } from './program.ts';
import type { DataSnapshot, Suite } from './suite.ts';

/** Everything that stays the same during one evaluation, and the list of phases that it fills. */
export interface Bench {
	readonly suite: Suite;
	readonly evaluation: EvaluationFile;
	readonly data: DataSnapshot | null;
	readonly level: 'sealed' | 'suite-sealed' | 'unsealed';
	readonly sandbox: Sandbox;
	readonly sandboxed: boolean;
	readonly candidateFolder: string;
	/** An empty folder, for what there is not. */
	readonly emptyFolder: string;
	/** The suite files that the run phase may see. */
	readonly inputsFolder: string;
	/** The data files that the run phase may see. */
	readonly runDataFolder: string;
	readonly programs: ProgramSearch;
	readonly programHashes: Map<string, Promise<string>>;
	/** Variables of the machine that the evaluation asks for. */
	readonly passedVariables: Readonly<Record<string, string>>;
	/** Prefix that sets the kernel's own limits; empty where there is no prlimit. */
	readonly kernelLimits: readonly string[];
	/** Finds what a plain child process left behind. */
	readonly runMarker: string;
	readonly phases: PhaseRecord[];
	readonly signal: AbortSignal | undefined;
	/** All of them, outside of tests. */
	readonly holds: Defences;
	/** What the phases of every evaluation would share without the defence of that name. */
	readonly sharedTemporaries: string;
}
