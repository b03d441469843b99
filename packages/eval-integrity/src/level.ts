import { type EvaluationLevel, type Isolation, KapsoError } from '@kapso-evolve/contracts';
import type { Sandbox } from '@kapso-evolve/process';
import type { Suite } from './suite.ts';

export interface ChosenLevel {
	readonly level: EvaluationLevel;
	readonly isolation: Isolation;
	/** One sentence for people. */
	readonly reason: string;
}

/**
 * The strongest level that a suite and a machine allow (CONTRACTS 2). Throws `ISOLATION_REQUIRED` (infrastructure)
 * where the caller requires isolation and the level would have none.
 */
export function chooseLevel(options: {
	readonly suite: Suite | null;
	readonly sandbox: Sandbox;
	readonly requireIsolation: boolean;
}): ChosenLevel {
	const chosen = strongestLevel(options.suite, options.sandbox);
	if (options.requireIsolation && chosen.isolation === 'none') {
		throw new KapsoError({
			code: 'ISOLATION_REQUIRED',
			category: 'infrastructure',
			message: `isolation is required, but the level would be ${chosen.level}: ${chosen.reason}`,
			hint:
				chosen.level === 'unsealed'
					? 'Install bubblewrap and allow user namespaces (kapso-evolve doctor), or set require_isolation: false.'
					: 'Give a suite with a score command in kapso.evaluation.yaml, or set require_isolation: false.',
			data: { level: chosen.level },
		});
	}
	return chosen;
}

function strongestLevel(suite: Suite | null, sandbox: Sandbox): ChosenLevel {
	if (suite === null) {
		return {
			level: 'agent-reported',
			isolation: 'none',
			reason: 'there is no suite, so the number is what the agent says',
		};
	}
	if (!suite.evaluation?.score) {
		return {
			level: 'published-rule',
			isolation: 'none',
			reason: 'the suite has no score command, so the agent runs it and reports the number',
		};
	}
	if (sandbox.isolation === 'none') {
		return { level: 'unsealed', isolation: 'none', reason: `this machine has no sandbox (${sandbox.reason})` };
	}
	return suite.evaluation.run
		? {
				level: 'sealed',
				isolation: 'os',
				reason: 'the candidate runs apart from the suite, and the suite scores its outputs',
			}
		: {
				level: 'suite-sealed',
				isolation: 'os',
				reason: 'the suite has no run command, so it loads the candidate into its own process',
			};
}
