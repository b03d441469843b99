import { formatChange, formatCost, formatNumber, formatSeconds } from '../format.ts';
import { printableLine } from '../printable.ts';
import type { Style } from '../style.ts';
import type { ProgressState } from './progress-state.ts';

/** The lines of a live view, each narrower than the terminal so that none wraps. */
export function renderFrame(o: {
	readonly state: ProgressState;
	readonly elapsedSeconds: number;
	readonly columns: number;
	readonly style: Style;
}): string[] {
	const { state, style } = o;
	const width = Math.max(10, o.columns - 1);
	const of = state.iterations === null ? '' : `/${state.iterations}`;
	const best =
		state.best === null
			? 'none yet'
			: `${formatNumber(state.best.score)}  ${formatChange(state.baseline, state.best.score)}  candidate ${state.best.nodeId}`;
	const lines: [string, string][] = [
		['phase', phaseText(state)],
		['best', `${best.replace(/ {3,}/, '  ')}  (baseline ${formatNumber(state.baseline)})`],
		[
			'spent',
			`iteration ${state.iteration}${of} · ${state.valid}/${state.recorded} scored · ${formatSeconds(o.elapsedSeconds)} · ${formatCost(state.costUsd)}`,
		],
	];
	if (state.level !== '') lines.push(['level', state.level]);
	if (state.activity !== '') lines.push(['', state.activity]);
	return lines.map(([name, text]) => {
		const label = name.padEnd(6);
		return `${style('dim', label.slice(0, width))}${printableLine(text, Math.max(0, width - label.length))}`;
	});
}

/** `agent at work · candidate 3`, or for several at once `agent at work · candidates 3, 4 | scoring · candidate 5`. */
function phaseText(state: ProgressState): string {
	if (state.active.size === 0) return state.phase;
	return [...Map.groupBy(state.active, ([, phase]) => phase)]
		.map(
			([phase, entries]) =>
				`${phase} · candidate${entries.length > 1 ? 's' : ''} ${entries.map(([id]) => id).join(', ')}`,
		)
		.join(' | ');
}
