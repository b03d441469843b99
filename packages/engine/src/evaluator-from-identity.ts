import { commandEvaluator, type IterationEvaluator, moduleEvaluator } from '@kapso-evolve/iteration-evaluator';
import { sealedEvaluatorPrefix, sealedIterationEvaluator } from './sealed-iteration-evaluator.ts';
import type { Surroundings } from './settings.ts';

/** Rebuilds, for `resume DIR`, an evaluator whose identity says how; a closure can only be passed again. */
export function evaluatorFromIdentity(identity: string | null, surroundings: Surroundings): IterationEvaluator | null {
	const { nodeProgram } = surroundings;
	const environment = { ...surroundings.environment, PATH: surroundings.path };
	const after = (prefix: string) => (identity?.startsWith(prefix) ? identity.slice(prefix.length) : null);
	const suite = after(sealedEvaluatorPrefix);
	if (suite !== null) return sealedIterationEvaluator({ suite, environment, nodeProgram });
	const command = after('command:');
	if (command !== null) return commandEvaluator({ command: JSON.parse(command) as string[], environment });
	const module = after('module:');
	if (module !== null) return moduleEvaluator({ module, nodeProgram, environment });
	return null;
}
