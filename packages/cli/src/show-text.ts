import type { CandidateView } from '@kapso-evolve/engine';
import { formatCost, formatNumber, formatSeconds, formatTable } from './format.ts';
import { outcomeText } from './log-tree.ts';
import { printable, printableLine } from './printable.ts';
import type { Style } from './style.ts';

/** Everything about one candidate for a person: facts, words, ledger, diff. */
export function showText(view: CandidateView, o: { readonly external: boolean; readonly style: Style }): string {
	const { node } = view;
	const rows: string[][] = [
		['candidate', `${node.nodeId}${node.attempt > 1 ? `, attempt ${node.attempt}` : ''}, iteration ${node.iteration}`],
		['parent', `${node.parentNodeId ?? 'none'} (${node.parentBranchName}, ${node.parentCommit.slice(0, 12)})`],
		['branch', node.commit === null ? 'none' : node.branchName],
		['commit', node.commit ?? 'none'],
		['outcome', outcomeText(node)],
		['score', `${formatNumber(node.score)}${node.scoreSource ? `, by the ${node.scoreSource}` : ''}`],
	];
	if (node.reportedScore !== null) rows.push(['reported', `${formatNumber(node.reportedScore)} (what the agent said)`]);
	if (node.errorMessage) rows.push(['error', printableLine(node.errorMessage)]);
	if (node.evaluationIntegrityError) rows.push(['integrity', printableLine(node.evaluationIntegrityError)]);
	rows.push(['level', `${node.evaluationLevel}, isolation ${node.isolation}, ${node.evaluationProvenance}`]);
	rows.push(['confirmed', node.confirmation === 'none' ? 'not scored a second time' : node.confirmation]);
	if (node.stripped.length > 0) rows.push(['stripped', node.stripped.map((path) => printableLine(path)).join(', ')]);
	if (node.notProven.length > 0) rows.push(['not proven', node.notProven.join(', ')]);
	for (const [name, value] of Object.entries(node.evaluationMetrics))
		rows.push(['metric', `${printableLine(name)} ${formatNumber(value)}`]);
	rows.push(['agent', `${printableLine(node.agent)}${node.model ? `, ${printableLine(node.model)}` : ''}`]);
	rows.push([
		'spent',
		`${formatSeconds(node.durationMs / 1000)}, ${node.costUsd === null ? 'cost not known' : formatCost(node.costUsd)}`,
	]);
	if (o.external) {
		for (const [name, value] of Object.entries(node.metrics))
			rows.push(['external', `${printableLine(name)} ${formatNumber(value)}`]);
		if (node.externalEvaluationError) rows.push(['external', printableLine(node.externalEvaluationError)]);
	}
	const sections = [formatTable(rows)];
	const add = (title: string, body: string): void => {
		if (body.trim() !== '') sections.push(`${o.style('bold', title)}\n${body.trimEnd()}`);
	};
	add('Solution', printable(node.solution));
	add('Feedback', printable(node.feedback));
	add(
		'Ledger',
		formatTable(
			view.ledger
				.filter((line) => o.external || line.type !== 'external')
				.map((line) => [String(line.seq), line.time, line.type, line.sha256.slice(0, 12)]),
		),
	);
	add('Diff to the parent', diffText(view.diff, o.style));
	return `${sections.join('\n\n')}\n`;
}

function diffText(diff: string, style: Style): string {
	return printable(diff)
		.split('\n')
		.map((line) => {
			if (line.startsWith('+') && !line.startsWith('+++')) return style('green', line);
			if (line.startsWith('-') && !line.startsWith('---')) return style('red', line);
			return line.startsWith('@@') ? style('cyan', line) : line;
		})
		.join('\n');
}
