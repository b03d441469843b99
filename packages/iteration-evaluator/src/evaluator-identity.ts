import { KapsoError } from '@kapso-evolve/contracts';
import type { IterationEvaluator } from './evaluator.ts';

/**
 * The name by which a resumed campaign recognises its evaluator: its `id`, else the function's name. Throws `KapsoError`
 * `EVALUATOR_NAMELESS` (usage). Two closures of one name cannot be told apart (document 003): give them ids.
 */
export function evaluatorIdentity(evaluator: IterationEvaluator): string {
	const name = evaluator.id ?? (typeof evaluator === 'function' ? evaluator.name : '');
	// `default` is what an anonymous default export is called, `bound f` and an empty text say as little
	if (typeof name === 'string' && name.trim() !== '' && name !== 'default' && !name.startsWith('bound ')) return name;
	throw new KapsoError({
		code: 'EVALUATOR_NAMELESS',
		category: 'usage',
		message: 'The iteration evaluator has no name by which a resumed campaign could recognise it.',
		hint: 'Pass a named function, or { id, evaluate }.',
		data: { name: String(name) },
	});
}
