import type { Objective, SearchNode } from '@kapso-evolve/contracts';

/**
 * Why a node may neither be delivered nor be built on for its score, as the end of a sentence about it; null when it
 * may. Only a finite score of an exact commit counts that the evaluation rules accept and that did not fail to reproduce
 * (documents 000 and 004, CONTRACTS 2). A failure is never a number.
 */
export function exclusionOf(node: SearchNode): string | null {
	if (!node.evaluationValid) {
		return `was rejected${because(node.evaluationIntegrityError ?? node.code ?? node.errorMessage)}`;
	}
	if (node.outcome !== 'scored') return `ended as ${node.outcome}${because(node.code ?? node.errorMessage)}`;
	if (node.confirmation === 'unreproduced') return 'did not reproduce its score';
	if (node.score === null || !Number.isFinite(node.score)) return 'has no finite score';
	if (node.commit === null) return 'has no commit that its score could be of';
	return null;
}

export function isSelectable(node: SearchNode): boolean {
	return exclusionOf(node) === null;
}

function because(reason: string | null): string {
	return reason === null ? '' : `: ${reason}`;
}

/** Strictly better: equal scores are not, whichever way the objective points. */
export function isBetter(a: number, b: number, objective: Objective): boolean {
	return objective === 'maximize' ? a > b : a < b;
}

/** What choosing a parent and a winner need to know of the scores so far; external metrics take no part. */
export interface Survey {
	/** Of equal scores the lowest id. */
	readonly best: SearchNode | null;
	readonly selectable: number;
	/** Selectable nodes that share the best score, the best included. */
	readonly tied: number;
}

const nothing: Survey = { best: null, selectable: 0, tied: 0 };

export function surveyNodes(nodes: readonly SearchNode[], objective: Objective): Survey {
	return nodes.reduce((survey, node) => surveyWith(survey, node, objective), nothing);
}

/** The survey with one more node. */
export function surveyWith(survey: Survey, node: SearchNode, objective: Objective): Survey {
	if (!isSelectable(node)) return survey;
	const { best, tied } = survey;
	const selectable = survey.selectable + 1;
	if (best === null || isBetter(node.score!, best.score!, objective)) return { best: node, selectable, tied: 1 };
	if (node.score !== best.score) return { best, selectable, tied };
	return { best: node.nodeId < best.nodeId ? node : best, selectable, tied: tied + 1 };
}

/** The node to deliver; null when none is selectable. */
export function selectBest(nodes: readonly SearchNode[], objective: Objective): SearchNode | null {
	return surveyNodes(nodes, objective).best;
}

/** Selectable nodes only, best first; equal scores stand in the order of their ids. */
export function rankNodes(nodes: readonly SearchNode[], objective: Objective): SearchNode[] {
	return nodes.filter(isSelectable).sort((a, b) => {
		if (isBetter(a.score!, b.score!, objective)) return -1;
		if (isBetter(b.score!, a.score!, objective)) return 1;
		return a.nodeId - b.nodeId;
	});
}
