import { KapsoError, nearestName } from '@kapso-evolve/contracts';

export const agentNames = ['gi', 'command', 'claude-code', 'codex', 'gemini', 'opencode'] as const;
export type AgentName = (typeof agentNames)[number];

/** Agents that this version can start. */
export const availableAgentNames = ['gi', 'command'] as const satisfies readonly AgentName[];

/**
 * The agent somebody named, white space and case aside; the roadmap's `claude_code` is accepted. Throws `KapsoError`
 * `AGENT_UNKNOWN` (usage) with the nearest name.
 */
export function parseAgentName(text: string): AgentName {
	const wanted = text.trim().toLowerCase().replaceAll('_', '-');
	const name = agentNames.find((known) => known === wanted);
	if (name !== undefined) return name;
	const nearest = nearestName(wanted, agentNames);
	throw new KapsoError({
		code: 'AGENT_UNKNOWN',
		category: 'usage',
		message: `There is no agent ${JSON.stringify(text)}.`,
		hint: `${nearest === null ? '' : `Did you mean ${nearest}? `}Known: ${agentNames.join(', ')}.`,
		data: { name: text, nearest, known: [...agentNames] },
	});
}
