import type { Objective, SearchNode } from '@kapso-evolve/contracts';

/**
 * May this node be delivered, or be built on for its score? Only a finite score of an exact commit that the evaluation
 * rules accept and that did not fail to reproduce (documents 000 and 004, CONTRACTS 2). A failure is never a number.
 */
export function isSelectable(node: SearchNode): boolean {
	return (
		node.outcome === 'scored' &&
		node.score !== null &&
		Number.isFinite(node.score) &&
		node.evaluationValid &&
		node.confirmation !== 'unreproduced' &&
		node.commit !== null
	);
}

/** Strictly better: equal scores are not, whichever way the objective points. */
export function isBetter(a: number, b: number, objective: Objective): boolean {
	return objective === 'maximize' ? a > b : a < b;
}

/** Selectable nodes only, best first; equal scores stand in the order of their ids. External metrics take no part. */
export function rankNodes(nodes: readonly SearchNode[], objective: Objective): SearchNode[] {
	return nodes.filter(isSelectable).sort((a, b) => {
		if (isBetter(a.score!, b.score!, objective)) return -1;
		if (isBetter(b.score!, a.score!, objective)) return 1;
		return a.nodeId - b.nodeId;
	});
}

/** The first of `rankNodes` in one pass; null when no node is selectable. */
export function selectBest(nodes: readonly SearchNode[], objective: Objective): SearchNode | null {
	let best: SearchNode | null = null;
	for (const node of nodes) {
		if (!isSelectable(node)) continue;
		const better = best === null || isBetter(node.score!, best.score!, objective);
		if (better || (node.score === best!.score && node.nodeId < best!.nodeId)) best = node;
	}
	return best;
}
