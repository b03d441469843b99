import { KapsoError } from '@kapso-evolve/contracts';
import type { CodingAgent } from './agent.ts';
import { type AgentName, availableAgentNames } from './agent-names.ts';
import { createCommandAgent } from './command-agent.ts';

export interface AgentOptions {
	readonly name: AgentName;
	/** For `command` what the user gave, for `gi` how its program is started. */
	readonly command?: readonly string[];
	readonly environment?: Readonly<Record<string, string>>;
}

/**
 * The agent of a name. Throws `KapsoError` (usage): `AGENT_NOT_AVAILABLE` for a known agent whose adapter this version
 * does not have, `AGENT_COMMAND_MISSING` for one that is started by a command when none is given.
 */
export function createAgent(options: AgentOptions): CodingAgent {
	const { name, command, environment = {} } = options;
	if (!availableAgentNames.some((available) => available === name)) throw notAvailable(name);
	if (command === undefined || command.length === 0) {
		throw new KapsoError({
			code: 'AGENT_COMMAND_MISSING',
			category: 'usage',
			message: `The agent ${name} is started by a command, and none was given.`,
			hint: 'Give the program and its arguments, for example ["node", "/home/me/agent.mjs"].',
			data: { name },
		});
	}
	return createCommandAgent({ name, command, environment });
}

function notAvailable(name: AgentName): KapsoError {
	return new KapsoError({
		code: 'AGENT_NOT_AVAILABLE',
		category: 'usage',
		message: `This version has no adapter for ${name} yet.`,
		hint: `Available: ${availableAgentNames.join(', ')}. "command" starts any program, a script around ${name} included.`,
		data: { name, available: [...availableAgentNames] },
	});
}
