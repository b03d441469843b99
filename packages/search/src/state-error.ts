import { KapsoError } from '@kapso-evolve/contracts';

const shown = 8;

/** `STRATEGY_STATE` (usage): the graph contradicts itself. Every problem is in `data.problems`, the first few in the text. */
export function strategyStateError(problems: readonly string[], cause?: unknown): KapsoError {
	const rest = problems.length > shown ? `; and ${problems.length - shown} more` : '';
	return new KapsoError({
		code: 'STRATEGY_STATE',
		category: 'usage',
		message: `The search state is inconsistent: ${problems.slice(0, shown).join('; ')}${rest}.`,
		hint: 'Nothing was changed. The ledger beside the state is the authority: rebuild the state from it, or restore both from one backup.',
		data: { problems },
		cause,
	});
}
