import type { FailurePolicy } from '@kapso-evolve/contracts';

/** What `evolve` was given on the command line. */
export interface EvolveFlags {
	readonly goal?: string | undefined;
	readonly goalFile?: string | undefined;
	readonly output?: string | undefined;
	readonly agent?: string | undefined;
	readonly agentCommand?: string | undefined;
	readonly initialRepo?: string | undefined;
	readonly includeUncommitted?: true | undefined;
	readonly evalDir?: string | undefined;
	readonly privateEvalDir?: string | undefined;
	readonly dataDir?: string | undefined;
	readonly config?: string | undefined;
	readonly mode?: string | undefined;
	readonly iterations?: number | undefined;
	readonly timeBudgetMinutes?: number | undefined;
	readonly costBudget?: number | undefined;
	readonly finalizationReserveMinutes?: number | undefined;
	readonly parallel?: number | undefined;
	readonly seed?: number | undefined;
	readonly resume?: true | undefined;
	readonly adopt?: true | undefined;
	readonly allowLegacyCheckpoint?: true | undefined;
	readonly workDir?: string | undefined;
	readonly signingKey?: string | undefined;
	readonly evaluator?: string | undefined;
	readonly evaluatorCommand?: string | undefined;
	readonly evaluatorFailurePolicy?: FailurePolicy | undefined;
}
