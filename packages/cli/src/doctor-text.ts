import type { DoctorDocument } from './documents/doctor-document.ts';
import { formatNumber, formatTable } from './format.ts';
import { printableLine } from './printable.ts';
import type { Style } from './style.ts';

const colours = { ok: 'green', warn: 'yellow', fail: 'red', blocking: 'red', warning: 'yellow', note: 'dim' } as const;

/** Checks first, then what the suite did with each bad candidate, then what to change. */
export function doctorText(document: DoctorDocument, style: Style): string {
	const sections = [
		formatTable(
			document.checks.map(({ name, status, what, advice }) => [
				name,
				style(colours[status], status),
				printableLine(what) + (advice === '' ? '' : `; ${advice}`),
			]),
		),
	];
	const { suite } = document;
	if (suite !== null) {
		sections.push(
			formatTable([
				['grade', style(suite.grade === 'F' ? 'red' : 'bold', suite.grade)],
				['level', `${suite.level}, isolation ${suite.isolation}`],
				['baseline', formatNumber(suite.baseline_score)],
				[
					'noise',
					`floor ${formatNumber(suite.noise_floor)} over ${suite.pairs} pair${suite.pairs === 1 ? '' : 's'}; one more pair exceeds it with a chance of ${formatNumber(suite.false_promotion_rate)} at most`,
				],
			]),
			formatTable(
				suite.trials.map((trial) => [
					trial.passed ? style('green', 'ok') : style('red', 'FAIL'),
					trial.name,
					trial.score === null ? `${trial.outcome} ${trial.code ?? ''}` : formatNumber(trial.score),
					`expected ${trial.expected}`,
				]),
			),
		);
		for (const { severity, code, what, advice } of suite.findings) {
			sections.push(
				`${style(colours[severity], severity)} ${code}\n  ${printableLine(what)}\n  ${printableLine(advice)}`,
			);
		}
	}
	return `${sections.join('\n\n')}\n`;
}
