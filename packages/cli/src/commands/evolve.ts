import { Option } from '@commander-js/extra-typings';
import { failurePolicySchema } from '@kapso-evolve/contracts';
import { newCommand } from '../common-options.ts';
import type { Execute } from '../execute.ts';
import { amount, naturalNumber, positiveInteger, positiveNumber } from '../option-values.ts';

export function evolveCommand(execute: Execute) {
	return newCommand('evolve', {
		summary:
			'Run a campaign: an agent proposes candidates, each is checked, scored and recorded, the best is delivered.',
		example: `kapso-evolve evolve --goal 'Make solve.js find shorter tours' --output ./campaign --agent gi \\
  --initial-repo ./solver --eval-dir ./suite --iterations 5`,
	})
		.addOption(new Option('--goal <text>', 'what the campaign is to achieve').conflicts('goalFile'))
		.option('--goal-file <file>', 'the goal, from a file')
		.option('--output <dir>', 'campaign folder: absent, empty, or with --resume a campaign')
		.option('--agent <name>', 'coding agent: see kapso-evolve agents (or coding_agent.type of the configuration)')
		.option('--agent-command <command>', 'program of --agent command: a JSON array, or words as a shell splits them')
		.option('--initial-repo <path|url>', 'where candidates start from; left as it is, byte for byte')
		.option('--include-uncommitted', 'take the initial repository with its uncommitted changes')
		.addOption(
			new Option('--eval-dir <dir>', 'suite that scores candidates, protected in each').conflicts('privateEvalDir'),
		)
		.option('--private-eval-dir <dir>', 'suite that no candidate and no agent ever sees')
		.option('--data-dir <dir>', 'data of the suite')
		.option('--config <file>', 'YAML configuration; flags beat it')
		.option('--mode <name>', 'mode of the configuration')
		.option('--iterations <n>', 'iterations of this call (default: 10)', positiveInteger)
		.option('--time-budget-minutes <n>', 'minutes over the whole campaign', positiveNumber)
		.option('--cost-budget <usd>', 'dollars over the whole campaign', amount)
		.option('--finalization-reserve-minutes <n>', 'minutes of the time budget kept for confirming the winner', amount)
		.option('--parallel <k>', 'candidates of one iteration, made at the same time (default: 1)', positiveInteger)
		.option('--seed <n>', 'seed of everything random (default: 1)', naturalNumber)
		.option('--resume', 'continue the campaign in --output with the same settings')
		.option(
			'--adopt',
			'with --resume: go on with a run_state.json of the Python release, under the settings given here',
		)
		.option(
			'--allow-legacy-checkpoint',
			'with --resume: import the checkpoint.pkl of an older release, once; nothing in it is executed',
		)
		.option('--work-dir <dir>', 'where clones and scratch folders live')
		.option(
			'--signing-key <file>',
			'Ed25519 private key (PEM): signs every record; read at the start, written down nowhere',
		)
		.addOption(
			new Option('--evaluator <module#export>', 'your evaluator of every candidate: observed, never guiding').conflicts(
				'evaluatorCommand',
			),
		)
		.option('--evaluator-command <command>', 'the same as a program: JSON on stdin, JSON on stdout')
		.addOption(
			new Option('--evaluator-failure-policy <policy>', 'what its failure does (default: record)').choices(
				failurePolicySchema.options,
			),
		)
		.action((flags) =>
			execute(flags, async (session) => (await import('../actions/evolve.ts')).evolveAction(session, flags)),
		);
}
