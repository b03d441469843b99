import { KapsoError, nearestName } from '@kapso-evolve/contracts';
import type { GateRegistry } from './gate.ts';

export const gatePolicies = ['skip', 'warn', 'error'] as const;
/** `skip` and `warn` leave unavailable gates out, `warn` with a warning each; `error` refuses. */
export type GatePolicy = (typeof gatePolicies)[number];

/** Throws `KapsoError` `GATE_POLICY` (usage) for anything but one of the three words. */
export function parseGatePolicy(value: unknown): GatePolicy {
	const policy = gatePolicies.find((known) => known === value);
	if (policy !== undefined) return policy;
	throw new KapsoError({
		code: 'GATE_POLICY',
		category: 'usage',
		message: `${JSON.stringify(value)} is no policy for unavailable gates.`,
		hint: `Known: ${gatePolicies.join(', ')}.`,
		data: { policy: String(value) },
	});
}

/** The wanted gates, each once, in the order given. Throws `KapsoError` `GATE_LIST` or `GATE_UNKNOWN` (usage). */
export function parseRequestedGates(requested: readonly string[], registry: GateRegistry): string[] {
	if (!Array.isArray(requested) || requested.some((name) => typeof name !== 'string')) throw notAList();
	const names = [...new Set(requested.map((name) => name.trim()))];
	const known = Object.keys(registry);
	const unknown = names.filter((name) => !Object.hasOwn(registry, name));
	if (unknown.length === 0) return names;
	const told = unknown.map((name) => {
		const nearest = nearestName(name, known);
		return `${JSON.stringify(name)}${nearest === null ? '' : ` (did you mean ${nearest}?)`}`;
	});
	throw new KapsoError({
		code: 'GATE_UNKNOWN',
		category: 'usage',
		message: `There is no gate ${told.join(', ')}.`,
		hint: `Known: ${known.join(', ')}.`,
		data: { unknown, known },
	});
}

function notAList(): KapsoError {
	return new KapsoError({
		code: 'GATE_LIST',
		category: 'usage',
		message: 'Gates must be a list of names.',
		hint: 'For example ["research", "repo_memory"].',
	});
}
