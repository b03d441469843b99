import { describe, expect, it } from 'vitest';
import { packagedConfiguration, parseConfiguration } from '../src/configuration/configuration.ts';
import { planEvolve } from '../src/evolve-plan.ts';

const file = (text: string) => parseConfiguration({ file: 'kapso.yaml', text, mode: undefined });

describe('What evolve is asked to do', () => {
	it('comes from the flags alone when there is no configuration', () => {
		const plan = planEvolve(
			{
				output: 'campaign',
				agent: 'command',
				agentCommand: `node 'my agent.mjs'`,
				initialRepo: '../solver',
				includeUncommitted: true,
				evalDir: 'suite',
				dataDir: 'data',
				iterations: 5,
				timeBudgetMinutes: 30,
				costBudget: 0,
				finalizationReserveMinutes: 2,
				parallel: 2,
				seed: 7,
				workDir: '/scratch',
			},
			packagedConfiguration(undefined),
			'Be faster',
		);
		expect(plan).toEqual({
			goal: 'Be faster',
			outputPath: 'campaign',
			agent: 'command',
			agentCommand: ['node', 'my agent.mjs'],
			initialRepo: '../solver',
			includeUncommitted: true,
			evalDir: 'suite',
			dataDir: 'data',
			parentPolicy: 'best',
			maxIterations: 5,
			timeBudgetMinutes: 30,
			costBudget: 0,
			finalizationReserveMinutes: 2,
			parallel: 2,
			seed: 7,
			workDir: '/scratch',
		});
	});

	it('takes from the file what no flag says; flags beat the file', () => {
		const configuration = file(`
budget: {max_iterations: 20, time_budget_minutes: 60, cost_budget_usd: 5, finalization_reserve_minutes: 3}
coding_agent: {type: command, command: node agent.mjs, deadline_minutes: 10, trial_budget: 4}
search_strategy: {params: {parent_policy: baseline}}
evaluation: {version: 1, score: {command: [node, score.mjs]}}
require_isolation: true
parallel: 3
`);
		expect(planEvolve({ output: 'out', iterations: 2, costBudget: 0 }, configuration, 'g')).toEqual({
			goal: 'g',
			outputPath: 'out',
			agent: 'command',
			agentCommand: ['node', 'agent.mjs'],
			evaluation: { version: 1, score: { command: ['node', 'score.mjs'] } },
			parentPolicy: 'baseline',
			maxIterations: 2,
			timeBudgetMinutes: 60,
			costBudget: 0,
			finalizationReserveMinutes: 3,
			agentDeadlineMinutes: 10,
			trialBudget: 4,
			requireIsolation: true,
			parallel: 3,
		});
		expect(planEvolve({ output: 'out', agent: 'gi' }, configuration, 'g').agentCommand).toBeUndefined();
	});

	it.each([
		[{ agent: 'gi' }, 'OUTPUT_MISSING'],
		[{ output: 'o' }, 'AGENT_MISSING'],
		[{ output: 'o', agent: 'command' }, 'AGENT_COMMAND_MISSING'],
		[{ output: 'o', agent: 'gi', agentCommand: 'node x' }, 'FLAG_MEANINGLESS'],
		[{ output: 'o', agent: 'gi', includeUncommitted: true as const }, 'FLAG_MEANINGLESS'],
		[{ output: 'o', agent: 'gi', evaluatorFailurePolicy: 'raise' as const }, 'FLAG_MEANINGLESS'],
		[{ output: 'o', agent: 'command', agentCommand: 'a | b' }, 'COMMAND_WORDS'],
	])('is refused where a flag would not mean what it says: %j', (flags, code) => {
		expect(() => planEvolve(flags, packagedConfiguration(undefined), 'g')).toThrowError(
			expect.objectContaining({ code, category: 'usage', hint: expect.stringContaining('nothing was started') }),
		);
	});
});
