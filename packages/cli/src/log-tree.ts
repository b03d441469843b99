import type { SearchNode } from '@kapso-evolve/contracts';
import { formatCost, formatNumber, formatTable } from './format.ts';
import { printableLine } from './printable.ts';
import type { Style } from './style.ts';

/** Candidates below what they were built on: `main` is the root, the best is marked. */
export function logTree(o: {
	readonly nodes: readonly SearchNode[];
	readonly baselineScore: number | null;
	readonly bestNodeId: number | null;
	readonly external: boolean;
	readonly style: Style;
}): string {
	const children = Map.groupBy(o.nodes, (node) => node.parentNodeId);
	const rows: string[][] = [];
	const walk = (parent: number | null, indent: string): void => {
		const siblings = children.get(parent) ?? [];
		for (const [index, node] of siblings.entries()) {
			const last = index === siblings.length - 1;
			rows.push([
				`${indent}${last ? '└─' : '├─'} ${node.nodeId}${node.nodeId === o.bestNodeId ? ' *' : ''}`,
				resultOf(node),
				node.costUsd === null ? 'cost ?' : formatCost(node.costUsd),
				node.commit === null ? 'no commit' : node.branchName,
				...(o.external ? [externalOf(node)] : []),
			]);
			walk(node.nodeId, `${indent}${last ? '   ' : '│  '}`);
		}
	};
	walk(null, '');
	const root = `main  ${o.baselineScore === null ? 'not scored' : formatNumber(o.baselineScore)}`;
	if (rows.length === 0) return `${root}\nno candidates yet\n`;
	const mark = o.bestNodeId === null ? '' : `\n${o.style('dim', '* the best: valid, scored and not refuted')}`;
	return `${root}\n${formatTable(rows)}${mark}\n`;
}

function resultOf(node: SearchNode): string {
	const notes = [
		...(node.evaluationValid ? [] : ['evaluation rejected']),
		...(node.confirmation === 'none' ? [] : [node.confirmation]),
	];
	const result = node.score === null ? outcomeText(node) : formatNumber(node.score);
	return notes.length === 0 ? result : `${result} (${notes.join(', ')})`;
}

/** The outcome, and its code where that says more. */
export function outcomeText(node: Pick<SearchNode, 'outcome' | 'code'>): string {
	const code = node.code?.toLowerCase().replaceAll('_', '-') ?? node.outcome;
	return code === node.outcome ? node.outcome : `${node.outcome} ${node.code}`;
}

function externalOf(node: SearchNode): string {
	if (node.externalEvaluationError) return `external error: ${printableLine(node.externalEvaluationError, 60)}`;
	return Object.entries(node.metrics)
		.map(([name, value]) => `${printableLine(name)} ${formatNumber(value)}`)
		.join(', ');
}
