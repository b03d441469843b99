import { describe, expect, it } from 'vitest';
import { packagedConfiguration, parseConfiguration } from '../src/configuration/configuration.ts';
import { packagedSettings } from '../src/configuration/settings.ts';

const parse = (text: string, mode?: string) => parseConfiguration({ file: 'kapso.yaml', text, mode });

/** The lines of the refusal, without the headline. */
function problemsOf(text: string): string[] {
	try {
		parse(text);
	} catch (error) {
		return (error as Error).message
			.split('\n')
			.slice(1)
			.map((line) => line.trim());
	}
	throw new Error('was accepted');
}

describe('A configuration', () => {
	it('is merged from packaged settings, defaults and the mode: mappings merge, lists and scalars replace', () => {
		const text = `
default_mode: FAST
defaults:
  budget: {max_iterations: 20, cost_budget_usd: 5}
  coding_agent: {type: command, command: [node, a.mjs]}
modes:
  FAST:
    budget: {max_iterations: 3}
    coding_agent: {command: [node, b.mjs, --quick]}
  BASELINE:
    search_strategy: {params: {parent_policy: baseline}}
`;
		expect(parse(text)).toEqual({
			mode: 'FAST',
			evaluation: null,
			warnings: [],
			settings: {
				search_strategy: { type: 'generic', params: { parent_policy: 'best' } },
				budget: { max_iterations: 3, cost_budget_usd: 5 },
				coding_agent: { type: 'command', command: ['node', 'b.mjs', '--quick'] },
			},
		});
		expect(parse(text, 'BASELINE').settings).toMatchObject({
			search_strategy: { type: 'generic', params: { parent_policy: 'baseline' } },
			budget: { max_iterations: 20 },
			coding_agent: { command: ['node', 'a.mjs'] },
		});
	});

	it('may be flat, as the roadmap prints its snippets [M902]', () => {
		const { settings, mode } = parse('search_strategy:\n  params:\n    parent_policy: baseline\nparallel: 1\n');
		expect(mode).toBeNull();
		expect(settings).toEqual({
			search_strategy: { type: 'generic', params: { parent_policy: 'baseline' } },
			parallel: 1,
		});
	});

	it('assumes nobody’s subscription, cloud account, timeout or benchmark', () => {
		expect(packagedSettings).toEqual({ search_strategy: { type: 'generic', params: { parent_policy: 'best' } } });
		expect(packagedConfiguration(undefined).settings).toEqual(packagedSettings);
	});

	it('reports every problem at once, each with its line and column and the nearest name [D43]', () => {
		const text = [
			'default_mode: FASTT',
			'defaults:',
			'  budget:',
			'    time_buget_minutes: 5',
			'    cost_budget_usd: -1',
			'  search_strategy:',
			'    params: {parent_policy: bets, repo_memroy_max_retries: 2}',
			'modes:',
			'  FAST:',
			'    paralel: 1',
			'    coding_agent:',
			"      command: 'a | b'",
			'  SLOW:',
			'    parallel: 65',
			'    evaluation:',
			'      version: 2',
			'      scorer: {command: [node, s.mjs]}',
			'budjet: {}',
		].join('\n');
		expect(problemsOf(text)).toEqual([
			'kapso.yaml:1:15 default_mode names "FASTT", which is not under modes; did you mean FAST?',
			'kapso.yaml:4:5 unknown key "budget.time_buget_minutes"; did you mean time_budget_minutes?',
			expect.stringMatching(/^kapso\.yaml:5:22 budget\.cost_budget_usd: /),
			expect.stringMatching(/^kapso\.yaml:7:29 search_strategy\.params\.parent_policy: /),
			'kapso.yaml:7:35 unknown key "search_strategy.params.repo_memroy_max_retries"; did you mean repo_memory_max_retries?',
			'kapso.yaml:10:5 unknown key "paralel"; did you mean parallel?',
			expect.stringMatching(/^kapso\.yaml:12:16 coding_agent\.command: .*no shell runs here/),
			expect.stringMatching(/^kapso\.yaml:14:15 parallel: .*64/),
			expect.stringMatching(/^kapso\.yaml:16:16 evaluation\.version: /),
			'kapso.yaml:17:7 unknown key "evaluation.scorer"; did you mean score?',
			'kapso.yaml:18:1 unknown key "budjet"; did you mean budget?',
		]);
	});

	it.each([
		['a: [1\n', /^kapso\.yaml:\d+:\d+ /],
		['budget: {}\nbudget: {}\n', /^kapso\.yaml:2:1 .*unique/],
		['budget: !!js/function x\n', /^kapso\.yaml:1:9 .*tag/],
		['- a\n- b\n', /^kapso\.yaml:1:1 .*mapping/],
		['--- {}\n--- {}\n', /^kapso\.yaml:2:1 .*documents/],
		['__proto__: {parallel: 1}\n', /^kapso\.yaml:1:1 unknown key "__proto__"/],
		['modes: {A: 3}\n', /^kapso\.yaml:1:12 modes\.A must be a mapping/],
		['defaults: {}\nbudget: {}\n', /^kapso\.yaml:2:1 budget belongs into defaults/],
		['gates: {x: 1}\n', /^kapso\.yaml:1:1 gates is not available in this release/],
	])('that is no plain mapping of known keys is refused at its place: %j', (text, problem) => {
		expect(problemsOf(text)).toEqual([expect.stringMatching(problem)]);
	});

	it('with Kapso keys that mean nothing here is taken, with one warning for each', () => {
		const { warnings } = parse(`
defaults: {knowledge_search: {enabled: true}, learner: {}}
modes:
  A: {evaluation_maintainer: {}, learner: {x: 1}, search_strategy: {params: {repo_memory_failure_policy: fail}}}
default_mode: A
`);
		expect(warnings).toEqual([
			'kapso.yaml: knowledge_search means nothing here and is left out',
			'kapso.yaml: learner means nothing here and is left out',
			'kapso.yaml: evaluation_maintainer means nothing here and is left out',
			'kapso.yaml: search_strategy.params.repo_memory_failure_policy is checked, but nothing uses it yet',
		]);
	});

	it('with invalid routes or retry settings is refused at the start [M812]', () => {
		expect(problemsOf('models: {utilty: x, reasoning: ""}\nretry: {max_attempts: 0, jiter: true}\n')).toEqual([
			'kapso.yaml:1:10 unknown key "models.utilty"; did you mean utility?',
			expect.stringMatching(/^kapso\.yaml:1:32 models\.reasoning: /),
			expect.stringMatching(/^kapso\.yaml:2:23 retry\.max_attempts: /),
			'kapso.yaml:2:26 unknown key "retry.jiter"; did you mean jitter?',
		]);
		expect(parse('models: {utility: gpt-4.1-mini}\n').warnings).toEqual([
			'kapso.yaml: models is checked, but nothing uses it yet',
		]);
	});

	it('has the suite’s evaluation for suites that cannot carry the file', () => {
		const { evaluation } = parse('evaluation:\n  version: 1\n  score: {command: [node, score.mjs]}\n');
		expect(evaluation).toEqual({ version: 1, score: { command: ['node', 'score.mjs'] } });
	});

	it('resolves aliases, and says where the aliased value stands', () => {
		expect(
			parse('defaults: {budget: &b {max_iterations: 2}}\nmodes: {A: {budget: *b}}\n', 'A').settings.budget,
		).toEqual({
			max_iterations: 2,
		});
		expect(problemsOf('defaults: {budget: &b {max_iterations: 0}}\nmodes: {A: {budget: *b}}\n')).toEqual([
			expect.stringMatching(/^kapso\.yaml:1:40 budget\.max_iterations: /),
		]);
	});

	it.each([
		['modes: {FAST: {}}\n', 'FASTT', /unknown mode "FASTT": kapso\.yaml has FAST; did you mean FAST\?/],
		['parallel: 1\n', 'FAST', /kapso\.yaml has no modes/],
	])('refuses a mode that it does not have', (text, mode, message) => {
		expect(() => parse(text, mode)).toThrowError(
			expect.objectContaining({ code: 'MODE_UNKNOWN', category: 'usage', message: expect.stringMatching(message) }),
		);
		expect(() => packagedConfiguration('FAST')).toThrowError(expect.objectContaining({ code: 'MODE_UNKNOWN' }));
	});
});
