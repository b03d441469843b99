import { evolveIn, resumeIn } from './evolve.ts';
import type { EvolveOptions, ResumeOptions } from './options.ts';
import type { SolutionResult } from './result.ts';
import { surroundingsOf } from './settings.ts';
import { createMemoryGit } from './testing/memory-workspace.ts';

/**
 * Campaigns with everything real but Git and the sandbox: the loop, the ledger, the lock and the files. For what needs
 * thousands of candidates. Its agents run in this process, and what they report is the score.
 */
export interface ScriptedWorld {
	evolve(options: EvolveOptions): Promise<SolutionResult>;
	resume(outputPath: string, options: ResumeOptions): Promise<SolutionResult>;
	/** What branches there are, by name. */
	branches(): ReadonlyMap<string, string>;
}

export function createScriptedWorld(): ScriptedWorld {
	const git = createMemoryGit();
	const surroundings = (options: Omit<EvolveOptions, 'goal' | 'outputPath' | 'agent'> & Partial<EvolveOptions>) => ({
		...surroundingsOf(options),
		openWorkspace: git.open,
		openSandbox: async () => ({ isolation: 'none', reason: 'scripted' }) as const,
	});
	return {
		evolve: (options) => evolveIn(surroundings(options), options),
		resume: (outputPath, options) => resumeIn(surroundings(options), outputPath, options),
		branches: () => git.branches,
	};
}
