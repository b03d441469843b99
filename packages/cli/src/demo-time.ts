import type { StopPredicate } from '@kapso-evolve/engine';

/** Stops before a candidate that, going by those before it, would not be ready in time; never before the first. */
export function stopBeforeTimeIsUp(seconds: number): StopPredicate {
	return ({ state, elapsedMs }) => {
		const made = state.nodes.length;
		if (made === 0 || elapsedMs + elapsedMs / made <= seconds * 1000) return null;
		const [spent, each] = [elapsedMs, elapsedMs / made].map((ms) => Math.round(ms / 1000));
		return {
			reason: 'budget_exhausted',
			detail: `a demo ends itself within ${seconds} s: ${spent} s are spent, and a candidate takes about ${each} s here`,
		};
	};
}
