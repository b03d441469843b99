import { numberText } from './number-text.ts';
import type { Tunable } from './tunable.ts';

/** One literal as a coordinate: 0 is its present value, 1 a first step away from it. */
export interface Coordinate {
	/** The literal's text at a coordinate; the original text where rounding leads back to its value. */
	textAt(coordinate: number): string;
	/** The nearest coordinate inside the literal's range. */
	clamp(coordinate: number): number;
}

/** How far inside an open range a logit stays. */
const edge = 1e-6;

export function coordinateOf(tunable: Tunable): Coordinate {
	const { value, lower, upper, scale } = tunable;
	const [forward, back] = transform(tunable);
	const inside = (number: number) => Math.min(upper, Math.max(lower, number));
	const margin = scale === 'logit' ? (upper - lower) * edge : 0;
	const lowest = forward(lower + margin);
	const highest = forward(upper - margin);
	const origin = Math.min(highest, Math.max(lowest, forward(inside(value))));
	const step = firstStep(tunable, highest - lowest);
	return {
		textAt: (coordinate) => numberText(inside(back(origin + coordinate * step)), tunable),
		clamp: (coordinate) => Math.min((highest - origin) / step, Math.max((lowest - origin) / step, coordinate)),
	};
}

function transform({ scale, lower, upper }: Tunable): [(value: number) => number, (place: number) => number] {
	if (scale === 'log') return [Math.log, Math.exp];
	if (scale === 'linear') return [(value) => value, (place) => place];
	return [
		(value) => Math.log((value - lower) / (upper - value)),
		(place) => lower + (upper - lower) / (1 + Math.exp(-place)),
	];
}

/** A step that changes something and wrecks nothing: a factor of 1.6, a third of the value, a sixth of a narrow range. */
function firstStep({ scale, value }: Tunable, width: number): number {
	const usual = scale === 'log' ? 0.5 : scale === 'logit' ? 0.7 : 0.3 * (Math.abs(value) || 1);
	return Math.min(usual, width / 6);
}
