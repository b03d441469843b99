import type { SearchNode } from '@kapso-evolve/contracts';
import { mainBranch } from './select-parent.ts';

export type LineageRule = 'ids' | 'branch' | 'null-parent' | 'earlier-parent' | 'parent-branch' | 'parent-commit';

/** One contradiction, in words, and the place in the list where it was found. */
export interface LineageProblem {
	readonly index: number;
	readonly rule: LineageRule;
	readonly message: string;
}

/** Every way in which recorded parents contradict each other (milestone 9); empty for a graph that can be true. */
export function findLineageProblems(nodes: readonly SearchNode[]): LineageProblem[] {
	const owners = new Map<string, number>();
	return nodes.flatMap((node, index) => {
		const problems = findNodeProblems(nodes, index);
		const owner = owners.get(node.branchName);
		if (owner === undefined) owners.set(node.branchName, index);
		else problems.push(problem(index, 'branch', `branch ${node.branchName} already belongs to node ${owner}`));
		return problems;
	});
}

/** The same for the node at one place, without the comparison of branch names over the whole list. */
export function findNodeProblems(nodes: readonly SearchNode[], index: number): LineageProblem[] {
	const node = nodes[index]!;
	const problems: LineageProblem[] = [];
	if (node.nodeId !== index) problems.push(problem(index, 'ids', `its id is ${node.nodeId}; ids run 0, 1, 2, …`));
	if (node.branchName === mainBranch) problems.push(problem(index, 'branch', 'a candidate cannot be branch main'));
	if ((node.parentNodeId === null) !== (node.parentBranchName === mainBranch)) {
		const said = `parent node ${node.parentNodeId} with parent branch ${node.parentBranchName}`;
		problems.push(problem(index, 'null-parent', `${said}; no parent node and branch main go together`));
	}
	if (node.parentNodeId === null) return problems;
	if (node.parentNodeId >= index) {
		problems.push(problem(index, 'earlier-parent', `parent node ${node.parentNodeId} is not earlier`));
		return problems;
	}
	const parent = nodes[node.parentNodeId]!;
	if (node.parentBranchName !== mainBranch && parent.branchName !== node.parentBranchName) {
		const message = `parent branch ${node.parentBranchName} is not ${parent.branchName}, the branch of node ${node.parentNodeId}`;
		problems.push(problem(index, 'parent-branch', message));
	}
	if (parent.commit !== node.parentCommit) {
		const message = `parent commit ${node.parentCommit} is not ${parent.commit}, the commit of node ${node.parentNodeId}`;
		problems.push(problem(index, 'parent-commit', message));
	}
	return problems;
}

function problem(index: number, rule: LineageRule, message: string): LineageProblem {
	return { index, rule, message: `node ${index}: ${message}` };
}
