import { canonicalJson, sha256 } from '@kapso-evolve/contracts';

/**
 * What a resumed run must share with the campaign, in plain JSON values; null where a campaign has none. Budgets are not
 * in it, so that a larger one reopens a campaign that stopped on its budget. No secrets: the parts are stored and shown.
 */
export interface FingerprintSettings {
	readonly strategy_type: unknown;
	readonly strategy_params: unknown;
	readonly models: unknown;
	readonly agents: unknown;
	/** The evaluation file, as used. */
	readonly evaluation: unknown;
	readonly evaluation_level: unknown;
	readonly suite_digest: unknown;
	readonly data_digest: unknown;
	readonly initial_commit: unknown;
	/** Identity of the caller's iteration evaluator. */
	readonly evaluator: unknown;
	readonly evaluator_failure_policy: unknown;
	/** How the winner is chosen: metric, direction. */
	readonly selection: unknown;
	readonly engine_schema: unknown;
}

export const fingerprintKeys = [
	'strategy_type',
	'strategy_params',
	'models',
	'agents',
	'evaluation',
	'evaluation_level',
	'suite_digest',
	'data_digest',
	'initial_commit',
	'evaluator',
	'evaluator_failure_policy',
	'selection',
	'engine_schema',
] as const satisfies readonly (keyof FingerprintSettings)[];

export interface Fingerprint {
	/** SHA-256 of the parts as canonical JSON. */
	readonly digest: string;
	/** By setting: its canonical JSON where that is short enough to be read in an error, else `sha256:` and its digest. */
	readonly parts: Readonly<Record<string, string>>;
}

const longestShown = 160;

/** Equal settings, equal digest: the order of keys does not matter, and undefined is the same as null or left out. */
export function createFingerprint(settings: FingerprintSettings): Fingerprint {
	const parts = Object.fromEntries(fingerprintKeys.map((key) => [key, partOf(settings[key])]));
	return { digest: sha256(canonicalJson(parts)), parts };
}

function partOf(value: unknown): string {
	const text = canonicalJson(value ?? null);
	return text.length <= longestShown ? text : `sha256:${sha256(text)}`;
}
