import { dataFolder, stateFolder, suiteFolder } from '@kapso-evolve/contracts';
import {
	type EvaluateOptions,
	type EvaluationRecord,
	evaluate,
	type Verdict,
	type VerifyCandidateOptions,
	verifyCandidate,
} from '@kapso-evolve/eval-integrity';
import type { AgentClone } from '@kapso-evolve/workspace-git';
import type { Arena } from './arena.ts';

/** The way from an agent's clone to a record, step by step, so that a control can take one step badly. */
export interface Steps {
	clone(arena: Arena, folder: string): Promise<AgentClone>;
	/** Null: the agent changed nothing. */
	finalise(arena: Arena, clone: AgentClone, branch: string): Promise<string | null>;
	verify(options: VerifyCandidateOptions): Promise<Verdict>;
	/** Writes what is going to run into an empty folder. */
	write(arena: Arena, candidate: Candidate, to: string): Promise<void>;
	evaluate(options: EvaluateOptions, candidate: Candidate): Promise<EvaluationRecord>;
}

export interface Candidate {
	readonly arena: Arena;
	readonly clone: AgentClone;
	readonly commit: string;
	readonly branch: string;
}

const hidden = new Set([suiteFolder, dataFolder, stateFolder, '.git']);
export const isHidden = (path: string): boolean => hidden.has(path.split('/', 1)[0]!);

/** As the engine takes them. */
export const realSteps: Steps = {
	clone: ({ workspace, parent }, folder) => workspace.createAgentClone({ commit: parent, folder }),
	async finalise({ workspace, parent }, clone, branch) {
		const made = await workspace.finalise({ clone, parentCommit: parent, branch, message: 'Candidate' });
		return made.status === 'committed' ? made.commit : null;
	},
	verify: verifyCandidate,
	write: ({ workspace }, { commit }, to) => workspace.materializeTree(commit, { to, exclude: isHidden }),
	evaluate: (options) => evaluate(options),
};
