import { type AgentName, type CodingAgent, createAgent as createNamedAgent } from '@kapso-evolve/coding-agents';
import { giProgram } from '@kapso-evolve/gi';
import { findProgram } from '@kapso-evolve/process';
import type { LaunchSettings, Surroundings } from './settings.ts';

/** The agent of one candidate: `gi` searches differently for each node, by the campaign's seed. */
export function createAgent(settings: LaunchSettings, surroundings: Surroundings): (nodeId: number) => CodingAgent {
	const { customAgent } = surroundings;
	if (customAgent !== null) return () => customAgent;
	const name = settings.agent as AgentName;
	if (name === 'gi') {
		return (nodeId) => createNamedAgent({ name, command: giCommand(surroundings.nodeProgram, settings, nodeId) });
	}
	const agent = createNamedAgent({ name, command: settings.agentCommand ?? undefined });
	return () => agent;
}

function giCommand(nodeProgram: string, settings: LaunchSettings, nodeId: number): readonly string[] {
	const seed = (Math.imul(settings.seed, 1_000_003) + nodeId) >>> 0;
	// From source, the child resolves our packages the way this process does.
	const conditions = giProgram.endsWith('.ts') ? ['--conditions=@kapso-evolve/source'] : [];
	return [nodeProgram, ...conditions, giProgram, '--seed', String(seed), '--trials', String(settings.trialBudget)];
}

/** One line of `kapso-evolve agents`. */
export interface AgentListing {
	readonly name: string;
	/** `later`: known by name, its adapter is not in this version. */
	readonly status: 'found' | 'missing' | 'later';
	readonly program: string | null;
	readonly version: string | null;
	readonly authentication: string;
	readonly billing: string;
}

const adaptersToCome: readonly { readonly name: string; readonly program: string }[] = [
	{ name: 'claude-code', program: 'claude' },
	{ name: 'codex', program: 'codex' },
	{ name: 'gemini', program: 'gemini' },
	{ name: 'opencode', program: 'opencode' },
];

/** Each agent by name: found where, and what using it would mean. Never the value of a credential. */
export async function listAgents(options: {
	readonly environment: Readonly<Record<string, string | undefined>>;
}): Promise<AgentListing[]> {
	const path = options.environment.PATH ?? '';
	const later = adaptersToCome.map(
		async ({ name, program }): Promise<AgentListing> => ({
			name,
			status: 'later',
			program: await findProgram(program, path),
			version: null,
			authentication: 'its adapter is not in this version; run it with --agent command',
			billing: 'as its provider bills it',
		}),
	);
	return [
		{
			name: 'gi',
			status: 'found',
			program: giProgram,
			version: null,
			authentication: 'none needed',
			billing: 'free: no model is called',
		},
		{
			name: 'command',
			status: 'found',
			program: null,
			version: null,
			authentication: 'whatever the program needs; the engine passes no credentials',
			billing: 'as the program reports (cost_usd)',
		},
		...(await Promise.all(later)),
	];
}
