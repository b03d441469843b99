import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { KapsoError } from '@kapso-evolve/contracts';
import type { GateDefinition, GateRegistry } from './gate.ts';
import { gateRegistry } from './registry.ts';
import { type GatePolicy, parseGatePolicy, parseRequestedGates } from './requested-gates.ts';

export interface ResolveGatesOptions {
	readonly requested: readonly string[];
	readonly policy: GatePolicy;
	/** The environment in which the servers would run, explicit paths of the caller already in it. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Path of a program on a `PATH` value, or null. */
	readonly findProgram: (name: string, path: string) => Promise<string | null>;
	readonly pathExists?: (path: string) => Promise<boolean>;
	readonly registry?: GateRegistry;
}

/** What was found out about one requested gate. Names of variables, never their values. */
export interface GateDiagnostic {
	readonly gate: string;
	readonly enabled: boolean;
	/** `available`, or what is missing, in one line. */
	readonly reason: string;
	readonly missingEnv: readonly string[];
	/** Variables whose value is a path that does not exist. */
	readonly missingPaths: readonly string[];
	readonly missingCommands: readonly string[];
}

export interface GateResolution {
	readonly enabled: readonly string[];
	/** Tools of the enabled gates and of no other. */
	readonly tools: readonly { readonly gate: string; readonly tool: string }[];
	/** One for each requested gate, in the order of the request. */
	readonly diagnostics: readonly GateDiagnostic[];
	/** Under `warn` a line for each gate left out; else empty. For the caller's log. */
	readonly warnings: readonly string[];
}

/**
 * Which of the requested gates this machine can offer, before anything is started. Throws `KapsoError` `GATE_UNKNOWN`,
 * `GATE_POLICY`, `GATE_LIST` (usage) under every policy, and under `error` one `GATES_UNAVAILABLE` (infrastructure) that
 * names every gate and everything it lacks.
 */
export async function resolveGates(options: ResolveGatesOptions): Promise<GateResolution> {
	const { registry = gateRegistry } = options;
	const policy = parseGatePolicy(options.policy);
	const names = parseRequestedGates(options.requested, registry);
	const diagnostics = await Promise.all(names.map((name) => diagnose(name, registry[name]!, options)));
	const missing = diagnostics.filter((diagnostic) => !diagnostic.enabled);
	if (policy === 'error' && missing.length > 0) throw unavailable(missing);
	const enabled = diagnostics.filter((diagnostic) => diagnostic.enabled).map((diagnostic) => diagnostic.gate);
	return {
		enabled,
		tools: enabled.flatMap((gate) => registry[gate]!.tools.map((tool) => ({ gate, tool }))),
		diagnostics,
		warnings: policy === 'warn' ? missing.map(({ gate, reason }) => `Gate ${gate} is left out: ${reason}`) : [],
	};
}

async function diagnose(
	gate: string,
	definition: GateDefinition,
	options: ResolveGatesOptions,
): Promise<GateDiagnostic> {
	const { environment, findProgram, pathExists = exists } = options;
	const given = (name: string): string => environment[name]?.trim() ?? '';
	const missingEnv = definition.requiredEnv.filter((name) => given(name) === '');
	const missingPaths = await keep(
		definition.requiredPaths.filter((name) => given(name) !== ''),
		async (name) => !(await pathExists(given(name))),
	);
	const missingCommands = await keep(
		definition.requiredCommands,
		async (name) => (await findProgram(name, environment.PATH ?? '')) === null,
	);
	const lacks = [
		...missingEnv.map((name) => `${name} is not set`),
		...missingPaths.map((name) => `the path in ${name} does not exist`),
		...missingCommands.map((name) => `the program ${name} was not found`),
	];
	const reason = lacks.length === 0 ? 'available' : lacks.join('; ');
	return { gate, enabled: lacks.length === 0, reason, missingEnv, missingPaths, missingCommands };
}

async function keep(names: readonly string[], isKept: (name: string) => Promise<boolean>): Promise<string[]> {
	const kept = await Promise.all(names.map(isKept));
	return names.filter((_, index) => kept[index]);
}

async function exists(path: string): Promise<boolean> {
	try {
		await access(path, constants.R_OK);
		return true;
	} catch {
		return false; // absent or unreadable: of no use either way
	}
}

function unavailable(missing: readonly GateDiagnostic[]): KapsoError {
	return new KapsoError({
		code: 'GATES_UNAVAILABLE',
		category: 'infrastructure',
		message: `Unavailable gates: ${missing.map(({ gate, reason }) => `${gate} (${reason})`).join(', ')}.`,
		hint: 'Nothing was started. Provide what is missing, leave the gates out, or use the policy "warn".',
		data: { diagnostics: missing },
	});
}
