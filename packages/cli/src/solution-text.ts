import { isAbsolute, relative } from 'node:path';
import type { SolutionResult } from '@kapso-evolve/engine';
import { formatChange, formatCost, formatNumber, formatSeconds, formatTable, shellWord } from './format.ts';
import { printableLine } from './printable.ts';
import type { Style } from './style.ts';

/** The end of a campaign on one screen; `scores: false` for who shows them in another way. */
export function solutionText(
	solution: SolutionResult,
	o: { readonly style: Style; readonly workingFolder: string; readonly scores?: false },
): string {
	const { style } = o;
	const { best, candidates, metadata, delivery } = solution;
	const rows: string[][] = [];
	if (o.scores !== false && !isUnfinished(solution))
		rows.push(['score', scoreLine(solution.baselineScore, best?.score ?? null, style)]);
	if (best === null) rows.push(['winner', style('yellow', winnerless(solution))]);
	else {
		rows.push(['winner', `candidate ${best.nodeId} on ${best.branch}, commit ${best.commit.slice(0, 12)}`]);
		rows.push(['proof', proofLine(solution)]);
		rows.push([
			'delivered',
			delivery.checkedOut
				? `${delivery.ref} is checked out`
				: `not checked out: ${printableLine((delivery.reason ?? 'nothing to deliver').split('\n', 1)[0]!)}`,
		]);
	}
	rows.push(['candidates', candidatesLine(candidates)]);
	rows.push([
		'stopped',
		`${metadata.stoppedReason}${metadata.stopDetail ? ` (${printableLine(metadata.stopDetail)})` : ''}`,
	]);
	rows.push([
		'spent',
		`${formatSeconds(metadata.elapsedSeconds)}, ${formatCost(metadata.costUsd, metadata.costUnknown)}`,
	]);
	for (const [name, value] of o.scores !== false ? Object.entries(metadata.externalMetrics) : [])
		rows.push(['external', `${printableLine(name)} ${formatNumber(value)} (never guided anything)`]);
	rows.push(['evidence', `ledger head ${metadata.ledgerHead}`]);
	const output = shellWord(shortPath(solution.outputPath, o.workingFolder));
	const next = [
		...(isUnfinished(solution)
			? [`resume ${output}`]
			: best === null && candidates.total > 0
				? [`show ${output} 0`]
				: []),
		`log ${output}`,
		`verify ${output} --head ${metadata.ledgerHead}`,
	].map((words) => `kapso-evolve ${words}\n`);
	return `${formatTable(rows)}\n\nNext: ${next.join('      ')}`;
}

/** Stopped in the middle: a resume goes on, and only then is a winner confirmed and delivered. */
function isUnfinished({ metadata }: SolutionResult): boolean {
	return metadata.stoppedReason === 'interrupted';
}

function winnerless(solution: SolutionResult): string {
	if (!isUnfinished(solution)) return 'none: no candidate is valid, scored and reproducible';
	return 'none yet: a resume goes on, then the best is confirmed and delivered; status shows the best so far';
}

/** `failed` counts every other outcome: crashed, timed out, or an agent that failed or changed nothing. */
export function candidatesLine({ total, scored, invalid, failed }: SolutionResult['candidates']): string {
	return `${total}: ${scored} scored, ${invalid} invalid, ${failed} without a result`;
}

/** A path as somebody in this folder would type it. */
function shortPath(path: string, workingFolder: string): string {
	const short = relative(workingFolder, path);
	return short === '' || short.startsWith('..') || isAbsolute(short) ? path : `./${short}`;
}

export function scoreLine(baseline: number | null, best: number | null, style: Style): string {
	const change = formatChange(baseline, best);
	const line = `${formatNumber(baseline)} -> ${style('bold', formatNumber(best))}`;
	return change === '' ? line : `${line}  (${change})`;
}

/** Under what the number was made, and whether it was made twice. */
function proofLine(solution: SolutionResult): string {
	const { best } = solution;
	if (best === null) return '';
	const source =
		best.scoreSource === 'engine' ? 'scored by the engine' : `reported by the ${best.scoreSource ?? 'agent'}`;
	return `${best.evaluationLevel}, isolation ${best.isolation}, ${source}, ${best.confirmed ? 'confirmed from scratch' : 'not confirmed'}`;
}
