import type { EvaluationRecord } from '@kapso-evolve/eval-integrity';
import { formatNumber, formatSeconds, formatTable } from './format.ts';
import { printable, printableLine } from './printable.ts';
import type { Style } from './style.ts';

/** One evaluation for the person who is debugging a suite: the result, then what each phase did and said. */
export function evaluationText(record: EvaluationRecord, style: Style): string {
	const rows: string[][] = [
		[
			'outcome',
			record.outcome === 'scored'
				? style('green', 'scored')
				: style('red', `${record.outcome}${record.code ? ` ${record.code}` : ''}`),
		],
		[
			'score',
			record.scores.length > 1
				? `${formatNumber(record.score)}, mean of ${record.scores.map(formatNumber).join(', ')}`
				: formatNumber(record.score),
		],
	];
	if (record.error) rows.push(['error', printableLine(record.error)]);
	for (const [name, value] of Object.entries(record.metrics))
		rows.push(['metric', `${printableLine(name)} ${formatNumber(value)}`]);
	rows.push([
		'level',
		`${record.level}, isolation ${record.isolation}${record.candidateIsolated ? '' : ', the scorer could see the candidate'}`,
	]);
	if (record.stripped.length > 0)
		rows.push(['stripped', record.stripped.map((path) => printableLine(path)).join(', ')]);
	if (record.notProven.length > 0) rows.push(['not proven', record.notProven.join(', ')]);
	rows.push(['suite', record.suiteDigest]);
	if (record.dataDigest) rows.push(['data', record.dataDigest]);
	const sections = [formatTable(rows)];
	if (record.feedback.trim() !== '' && record.feedback !== record.error)
		sections.push(`${style('bold', 'Feedback')}\n${printable(record.feedback).trimEnd()}`);
	for (const phase of record.phases) {
		const facts = `${phase.status}, exit ${phase.exitCode ?? 'none'}, ${formatSeconds(phase.wallMs / 1000)}: ${phase.argv.map((word) => printableLine(word)).join(' ')}`;
		const said = [phase.stdout, phase.stderr].map((text) => printable(text).trimEnd()).filter((text) => text !== '');
		sections.push([`${style('bold', phase.phase)}  ${facts}`, ...said].join('\n'));
	}
	return `${sections.join('\n\n')}\n`;
}
