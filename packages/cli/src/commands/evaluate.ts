import { newCommand } from '../common-options.ts';
import type { Execute } from '../execute.ts';

export function evaluateCommand(execute: Execute) {
	return newCommand('evaluate', {
		summary: 'Score a folder (by default the current one) exactly as a campaign would: how a suite is debugged.',
		example: 'kapso-evolve evaluate ./solver --eval-dir ./suite',
	})
		.argument('[dir]', 'folder to score', '.')
		.option('--eval-dir <dir>', 'the suite')
		.option('--data-dir <dir>', 'data of the suite')
		.option('--config <file>', 'YAML configuration with an evaluation: block')
		.option('--mode <name>', 'mode of the configuration')
		.action((folder, flags) =>
			execute(flags, async (session) =>
				(await import('../actions/evaluate.ts')).evaluateAction(session, folder, flags),
			),
		);
}
