import { resolve } from 'node:path';
import { usage } from './evolve-plan.ts';

/** `MODULE#EXPORT` with an absolute path: the child that imports it runs elsewhere. */
export function resolveModule(value: string, workingFolder: string): string {
	const hash = value.lastIndexOf('#');
	if (hash <= 0 || hash === value.length - 1)
		throw usage(
			'EVALUATOR_NAME',
			`--evaluator ${value} does not name an export`,
			'write --evaluator path/to/module.mjs#exportName',
		);
	return `${resolve(workingFolder, value.slice(0, hash))}${value.slice(hash)}`;
}
