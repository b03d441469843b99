import {
	fromDiskNames,
	KapsoError,
	type Objective,
	type ParentPolicy,
	type SearchNode,
	searchNodeSchema,
} from '@kapso-evolve/contracts';
import type { z } from 'zod';
import { strategyStateSchema } from './dump-state.ts';
import { strategyStateError } from './state-error.ts';
import { createGenericSearch, type SearchStrategy } from './strategy.ts';

/**
 * The strategy that `dumpState` described. Throws `STRATEGY_STATE` for a state of another shape or with a lineage that
 * cannot be true, `PARENT_POLICY_CHANGED` and `OBJECTIVE_CHANGED` when the caller asks for other rules (all usage).
 */
export function loadSearch(
	state: unknown,
	rules: { readonly parentPolicy: ParentPolicy; readonly objective: Objective },
): SearchStrategy {
	const parsed = strategyStateSchema.safeParse(state);
	if (!parsed.success)
		throw strategyStateError(
			parsed.error.issues.map((issue) => describe('state', issue)),
			parsed.error,
		);
	refuseChange('parent_policy', parsed.data.parent_policy, rules.parentPolicy);
	refuseChange('objective', parsed.data.objective ?? rules.objective, rules.objective);
	return createGenericSearch({ ...rules, nodes: readNodes(parsed.data.node_history) });
}

function readNodes(records: readonly Record<string, unknown>[]): SearchNode[] {
	const nodes: SearchNode[] = [];
	const problems: string[] = [];
	for (const [index, record] of records.entries()) {
		const parsed = searchNodeSchema.safeParse(fromDiskNames(record));
		if (parsed.success) nodes.push(parsed.data);
		else problems.push(...parsed.error.issues.map((issue) => describe(`node ${index}`, issue)));
	}
	if (problems.length > 0) throw strategyStateError(problems);
	return nodes;
}

function describe(where: string, issue: z.core.$ZodIssue): string {
	const path = issue.path.length === 0 ? '' : ` ${issue.path.join('.')}`;
	return `${where}${path}: ${issue.message}`;
}

function refuseChange(key: 'parent_policy' | 'objective', recorded: string, requested: string): void {
	if (recorded === requested) return;
	throw new KapsoError({
		code: key === 'parent_policy' ? 'PARENT_POLICY_CHANGED' : 'OBJECTIVE_CHANGED',
		category: 'usage',
		message: `The campaign ran with ${key} "${recorded}"; "${requested}" was asked for.`,
		hint: `Nothing was changed. Resume with ${key} "${recorded}", or start another campaign in a new folder.`,
		data: { key, recorded, requested },
	});
}
