import { searchNodeSchema } from '@kapso-evolve/contracts';
import type { CampaignEvent } from '@kapso-evolve/engine';
import { describe, expect, it } from 'vitest';
import { eventLine } from '../src/progress/event-line.ts';
import { renderFrame } from '../src/progress/frame.ts';
import { openLiveView } from '../src/progress/live-view.ts';
import { foldProgress, initialProgress } from '../src/progress/progress-state.ts';
import type { Output } from '../src/terminal.ts';

const node = searchNodeSchema.parse({
	nodeId: 3,
	parentNodeId: null,
	iteration: 1,
	branchName: 'generic_exp_3',
	parentBranchName: 'main',
	commit: 'a'.repeat(40),
	parentCommit: 'a'.repeat(40),
	outcome: 'scored',
	score: 0.9,
});
const events: CampaignEvent[] = [
	{ type: 'opened', output: '/o', resumed: false, level: 'sealed', isolation: 'os', reason: 'bubblewrap works' },
	{ type: 'baseline', score: 0.8, outcome: 'scored' },
	{ type: 'iteration', iteration: 1, nodeId: 3, attempt: 1, parentBranch: 'main' },
	{ type: 'phase', nodeId: 3, phase: 'agent' },
	{ type: 'activity', nodeId: 3, text: 'thinking\x1b[2J\r\nabout\ttours \u202Eevil' },
	{ type: 'trial', nodeId: 3, outcome: 'invalid', score: null, remaining: 4 },
	{ type: 'recorded', node, best: { nodeId: 3, score: 0.9, branch: 'generic_exp_3' }, costUsd: 0.5, elapsedSeconds: 2 },
	{ type: 'warning', code: 'W', message: 'careful' },
	{ type: 'confirming', nodeId: 3 },
	{ type: 'stopped', reason: 'max_iterations', detail: null },
];
const plain = (_: unknown, text: string): string => text;

describe('Progress', () => {
	it('without a terminal is one line for each event, and what an agent says controls nothing', () => {
		expect(events.map(eventLine)).toEqual([
			'opened /o: sealed, isolation os (bubblewrap works)',
			'baseline 0.8',
			'iteration 1: candidate 3 on main',
			'candidate 3: agent',
			'candidate 3: thinking\\x1b[2J about tours \\u202eevil',
			'candidate 3: trial invalid, 4 left',
			'candidate 3: 0.9; best 0.9 (candidate 3); $0.50',
			'warning W: careful',
			'candidate 3: confirming from scratch',
			'stopped: max_iterations',
		]);
	});

	it('on a terminal shows phase, elapsed time, spend and the best so far, never wider than the terminal', () => {
		const more: CampaignEvent[] = [
			{ type: 'phase', nodeId: 4, phase: 'agent' },
			{ type: 'phase', nodeId: 5, phase: 'agent' },
			{ type: 'phase', nodeId: 6, phase: 'evaluate' },
		];
		const state = [...events.slice(0, 7), ...more].reduce(foldProgress, initialProgress(5));
		const frame = renderFrame({ state, elapsedSeconds: 65, columns: 80, style: plain });
		expect(frame).toEqual([
			'phase agent at work · candidates 4, 5 | scoring · candidate 6',
			'best  0.9 +12.5 % candidate 3 (baseline 0.8)',
			'spent iteration 1/5 · 1/1 scored · 1 min 05 s · $0.50',
			'level sealed, isolation os',
		]);
		for (const columns of [10, 20, 40])
			for (const line of renderFrame({ state, elapsedSeconds: 65, columns, style: plain }))
				expect(line.length).toBeLessThan(Math.max(columns, 11));
	});

	it('redraws at most ten times a second, leaves the last frame standing and never touches what is above it', async () => {
		let written = '';
		let writes = 0;
		const output = {
			write(text: string) {
				written += text;
				writes++;
			},
			isTerminal: true,
			columns: () => 80,
			stream: { on() {}, off() {} },
			drained: async () => {},
		} as unknown as Output;
		let count = 0;
		const view = openLiveView({ output, render: () => [`count ${count}`, 'second line'] });
		for (; count < 200; count++) view.changed();
		await new Promise((resolve) => setTimeout(resolve, 250));
		expect(writes).toBeLessThanOrEqual(3);
		view.above('a log line\n');
		view.close();
		expect(screenOf(written)).toEqual(['a log line', 'count 200', 'second line', '']);
	});
});

/** What a terminal shows after these bytes: cursor up, carriage return and erasing are all that the view may use. */
function screenOf(bytes: string): string[] {
	let lines: string[] = [''];
	let [row, column] = [0, 0];
	const erase = () => {
		lines[row] = lines[row]!.slice(0, column);
	};
	for (const [index, part] of bytes.split('\x1b[').entries()) {
		const control = index === 0 ? null : /^(\d*)([A-Z])/.exec(part)!;
		if (control?.[2] === 'A') row -= Number(control[1]);
		if (control?.[2] === 'K') erase();
		if (control?.[2] === 'J') {
			erase();
			lines = lines.slice(0, row + 1);
		}
		for (const character of control ? part.slice(control[0].length) : part) {
			if (character === '\r') column = 0;
			else if (character === '\n') {
				lines[++row] ??= '';
				column = 0;
			} else {
				lines[row] = lines[row]!.slice(0, column) + character + lines[row]!.slice(column + 1);
				column++;
			}
		}
	}
	return lines;
}
