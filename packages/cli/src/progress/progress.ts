import type { CampaignEvent } from '@kapso-evolve/engine';
import type { Session } from '../session.ts';
import { eventLine } from './event-line.ts';
import { renderFrame } from './frame.ts';
import { openLiveView } from './live-view.ts';
import { foldProgress, initialProgress } from './progress-state.ts';

/** How a campaign is followed while it runs. */
export interface Progress extends Disposable {
	readonly onEvent: (event: CampaignEvent) => void;
}

/** Live on a terminal, one line an event elsewhere, nothing but warnings under `--quiet`. All of it on stderr. */
export function followCampaign(session: Session, iterations: number | null): Progress {
	const { stderr, environment } = session.terminal;
	if (session.options.quiet) {
		return {
			onEvent: (event) => {
				if (event.type === 'warning') session.note(`${eventLine(event)}\n`);
			},
			[Symbol.dispose]() {},
		};
	}
	const started = performance.now();
	const elapsedSeconds = (): number => (performance.now() - started) / 1000;
	if (!stderr.isTerminal || environment.TERM === 'dumb') {
		return {
			onEvent: (event) => session.note(`[${elapsedSeconds().toFixed(1).padStart(6)} s] ${eventLine(event)}\n`),
			[Symbol.dispose]() {},
		};
	}
	let state = initialProgress(iterations);
	const view = openLiveView({
		output: stderr,
		render: () =>
			renderFrame({
				state,
				elapsedSeconds: elapsedSeconds(),
				columns: stderr.columns(),
				style: session.errorStyle,
			}),
	});
	session.setNote(view.above);
	return {
		onEvent(event) {
			if (event.type === 'warning') view.above(`${eventLine(event)}\n`);
			state = foldProgress(state, event);
			view.changed();
		},
		[Symbol.dispose]() {
			view.close();
			session.setNote(null);
		},
	};
}
