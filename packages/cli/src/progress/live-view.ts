import { stripVTControlCharacters } from 'node:util';
import type { Output } from '../terminal.ts';

/** At most this often, whatever happens (ten frames a second). */
const frameMs = 100;

export interface LiveView {
	/** Draws soon. */
	changed(): void;
	/** Writes lines above the frame. */
	above(text: string): void;
	/** Draws the last frame and leaves it in the scrollback. */
	close(): void;
}

/** A few lines redrawn in place: no alternate screen, nothing above the frame is ever touched. */
export function openLiveView(o: { readonly output: Output; readonly render: () => readonly string[] }): LiveView {
	let drawn: readonly string[] = [];
	let lastDraw = 0;
	let pending: NodeJS.Timeout | null = null;

	/** Moves to the first row of what stands there: after the terminal got narrower, a line may take several. */
	const home = (): string => {
		const columns = Math.max(1, o.output.columns());
		const rows = drawn.reduce(
			(sum, line) => sum + Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
			0,
		);
		return rows === 0 ? '' : `\x1b[${rows}A\r`;
	};
	const draw = (above = ''): void => {
		if (pending) clearTimeout(pending);
		pending = null;
		const start = home();
		drawn = o.render();
		lastDraw = performance.now();
		// Line by line, not all at once: nothing flickers, and no terminal takes it for a cleared screen to remember.
		const text = above + drawn.map((line) => `${line}\n`).join('');
		o.output.write(`${start}${text.replaceAll('\n', '\x1b[K\n')}\x1b[J`);
	};
	const changed = (): void => {
		pending ??= setTimeout(() => draw(), Math.max(0, frameMs - (performance.now() - lastDraw))).unref();
	};
	const tick = setInterval(changed, 1000).unref();
	o.output.stream.on('resize', changed);
	return {
		changed,
		above: draw,
		close() {
			clearInterval(tick);
			o.output.stream.off('resize', changed);
			draw();
			drawn = [];
		},
	};
}
