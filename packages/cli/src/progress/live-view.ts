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

	const clear = (): string => {
		// After the terminal got narrower, what was one line may stand on several.
		const columns = Math.max(1, o.output.columns());
		const rows = drawn.reduce(
			(sum, line) => sum + Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
			0,
		);
		return rows === 0 ? '' : `\x1b[${rows}A\r\x1b[J`;
	};
	const draw = (): void => {
		if (pending) clearTimeout(pending);
		pending = null;
		const erase = clear();
		drawn = o.render();
		lastDraw = performance.now();
		o.output.write(`${erase}${drawn.map((line) => `${line}\n`).join('')}`);
	};
	const changed = (): void => {
		pending ??= setTimeout(draw, Math.max(0, frameMs - (performance.now() - lastDraw))).unref();
	};
	const tick = setInterval(changed, 1000).unref();
	o.output.stream.on('resize', changed);
	return {
		changed,
		above(text) {
			const erase = clear();
			drawn = [];
			o.output.write(`${erase}${text}`);
			draw();
		},
		close() {
			clearInterval(tick);
			o.output.stream.off('resize', changed);
			draw();
			drawn = [];
		},
	};
}
