import { type SearchNode, type SearchNodeInput, searchNodeSchema } from '@kapso-evolve/contracts';
import fc from 'fast-check';

/** A commit id that is easy to tell from others. */
export function commitId(name: number): string {
	return name.toString(16).padStart(40, 'c');
}

/** A scored child of main, changed as a test wants it. */
export function node(nodeId: number, changes: Partial<SearchNodeInput> = {}): SearchNode {
	return searchNodeSchema.parse({
		nodeId,
		parentNodeId: null,
		iteration: nodeId + 1,
		branchName: `generic_exp_${nodeId}`,
		parentBranchName: 'main',
		parentCommit: commitId(0),
		commit: commitId(nodeId + 1),
		outcome: 'scored',
		score: nodeId,
		scoreSource: 'engine',
		...changes,
	});
}

export function childOf(parent: SearchNode, nodeId: number, changes: Partial<SearchNodeInput> = {}): SearchNode {
	return node(nodeId, {
		parentNodeId: parent.nodeId,
		parentBranchName: parent.branchName,
		parentCommit: parent.commit!,
		...changes,
	});
}

const fate = fc.record({
	outcome: fc.constantFrom(
		...(['scored', 'scored', 'scored', 'invalid', 'crashed', 'timed-out', 'no-change', 'no-report'] as const),
		...(['agent-failed', 'infrastructure'] as const),
	),
	/** Few values, so that ties are common. */
	score: fc.integer({ min: -3, max: 3 }),
	evaluationValid: fc.boolean(),
	confirmation: fc.constantFrom(...(['none', 'none', 'confirmed', 'unreproduced'] as const)),
	hasCommit: fc.boolean(),
	/** Chooses among main and the earlier nodes that have a commit. */
	parent: fc.nat(),
});

/** Histories that can be true: ids in order, parents earlier and with a commit, a number only where something scored. */
export const histories: fc.Arbitrary<SearchNode[]> = fc.array(fate, { maxLength: 25 }).map((fates) => {
	const nodes: SearchNode[] = [];
	for (const { parent, hasCommit, score, ...rest } of fates) {
		const possible = nodes.filter(({ commit }) => commit !== null);
		const chosen = possible[parent % (possible.length + 1)];
		const changes = {
			...rest,
			commit: hasCommit || rest.outcome === 'scored' ? commitId(nodes.length + 1) : null,
			score: rest.outcome === 'scored' ? score : null,
		};
		nodes.push(chosen ? childOf(chosen, nodes.length, changes) : node(nodes.length, changes));
	}
	return nodes;
});
