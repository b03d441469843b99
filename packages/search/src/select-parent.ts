import type { Objective, Outcome, ParentPolicy, SearchNode } from '@kapso-evolve/contracts';
import { type Survey, surveyNodes } from './selection.ts';

/** The branch that candidates start from when no node is the parent. */
export const mainBranch = 'main';

/** One branch, commit and node that belong together; every later step of the iteration uses this pair and no other. */
export interface ParentChoice {
	readonly branch: string;
	/** Null: the parent is `main`. */
	readonly nodeId: number | null;
	/** Null: the commit of `main`, which the caller knows. */
	readonly commit: string | null;
	/** A sentence for a reader who asks why. */
	readonly reason: string;
}

/** Milestone 9. `best` falls back on work that nobody scored and nothing is known against, then on `main`. */
export function selectParent(
	nodes: readonly SearchNode[],
	{ parentPolicy, objective }: { readonly parentPolicy: ParentPolicy; readonly objective: Objective },
	{ best, selectable, tied }: Survey = surveyNodes(nodes, objective),
): ParentChoice {
	if (parentPolicy === 'baseline') return fromMain('The policy is "baseline": every candidate starts from main.');
	if (best) {
		const among =
			selectable === 1 ? 'the only selectable score' : `the best of ${selectable} selectable scores (${objective})`;
		const tie = tied === 1 ? '' : `; ${tied} candidates share it and the earliest wins`;
		return fromNode(best, `Node ${best.nodeId} has ${among}, ${best.score}${tie}.`);
	}
	const unscored = nodes.findLast(isUnscoredWork);
	if (unscored) {
		return fromNode(
			unscored,
			`No candidate has a selectable score; node ${unscored.nodeId} is the newest with a commit of its own that neither failed nor was rejected.`,
		);
	}
	if (nodes.length === 0) return fromMain('No candidate exists yet: the first one starts from main.');
	return fromMain(`None of the ${nodes.length} candidates so far can be built on: the next one starts from main.`);
}

/** Outcomes that say nothing against a candidate. `infrastructure` is an error, though not the candidate's. */
const unfailed: ReadonlySet<Outcome> = new Set<Outcome>(['scored', 'no-report']);

/** Committed, not failed, not rejected, no number. Newest means the highest id. */
function isUnscoredWork(node: SearchNode): boolean {
	return (
		unfailed.has(node.outcome) &&
		node.evaluationValid &&
		node.evaluationIntegrityError === null &&
		node.confirmation !== 'unreproduced' &&
		node.commit !== null &&
		node.commit !== node.parentCommit
	);
}

function fromMain(reason: string): ParentChoice {
	return { branch: mainBranch, nodeId: null, commit: null, reason };
}

function fromNode(node: SearchNode, reason: string): ParentChoice {
	return { branch: node.branchName, nodeId: node.nodeId, commit: node.commit, reason };
}
