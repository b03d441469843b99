/** A group of tools for an agent and what it takes to offer them (milestone 7). */
export interface GateDefinition {
	/** Plain names of the tools, unique within the gate. */
	readonly tools: readonly string[];
	/** Program of a server of its own; null: the bundled server offers the tools. */
	readonly command: string | null;
	/** Variables that must have a value which is not blank. */
	readonly requiredEnv: readonly string[];
	/** Programs that must be found, the command included. */
	readonly requiredCommands: readonly string[];
	/** Those of `requiredEnv` whose value must be a path that exists. */
	readonly requiredPaths: readonly string[];
}

export type GateRegistry = Readonly<Record<string, GateDefinition>>;

export interface GateInput extends Partial<Omit<GateDefinition, 'tools'>> {
	readonly tools: readonly string[];
	/** An older spelling of `requiredEnv`, folded into it. */
	readonly envKeys?: readonly string[];
}

/** Fills in what is left out, and names nothing twice. */
export function defineGate(gate: GateInput): GateDefinition {
	const { command = null, requiredEnv = [], envKeys = [], requiredCommands = [], requiredPaths = [] } = gate;
	return Object.freeze({
		tools: unique(gate.tools),
		command,
		requiredEnv: unique([...requiredEnv, ...envKeys, ...requiredPaths]),
		requiredCommands: unique(command === null ? requiredCommands : [...requiredCommands, command]),
		requiredPaths: unique(requiredPaths),
	});
}

function unique(names: readonly string[]): readonly string[] {
	return Object.freeze([...new Set(names)]);
}
