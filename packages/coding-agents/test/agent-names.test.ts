import { describe, expect, it } from 'vitest';
import { agentNames, availableAgentNames, createAgent, parseAgentName } from '../src/index.ts';

describe('names of agents', () => {
	it('are read as people write them, the roadmap’s spelling included', () => {
		expect(agentNames.map(parseAgentName)).toEqual([...agentNames]);
		expect([' claude_code ', 'Claude-Code', 'GI'].map(parseAgentName)).toEqual(['claude-code', 'claude-code', 'gi']);
	});

	it.each([
		['claude-cod', 'Did you mean claude-code?'],
		['codx', 'Did you mean codex?'],
		['aider', 'Known: gi, command'],
		['', 'Known: gi, command'],
	])('are refused when unknown: %j, with the nearest one', (name, hint) => {
		expect(() => parseAgentName(name)).toThrow(
			expect.objectContaining({ code: 'AGENT_UNKNOWN', category: 'usage', hint: expect.stringContaining(hint) }),
		);
	});

	it('that have no adapter yet are refused as such, before anything is started', () => {
		for (const name of ['claude-code', 'codex', 'gemini', 'opencode'] as const) {
			expect(() => createAgent({ name, command: [name] })).toThrow(
				expect.objectContaining({
					code: 'AGENT_NOT_AVAILABLE',
					category: 'usage',
					message: expect.stringContaining(name),
				}),
			);
		}
	});

	it('that are started by a command need one', () => {
		for (const name of availableAgentNames) {
			expect(createAgent({ name, command: ['node'] }).name).toBe(name);
			expect(() => createAgent({ name })).toThrow(expect.objectContaining({ code: 'AGENT_COMMAND_MISSING' }));
		}
	});
});
