import { newCommand } from '../common-options.ts';
import type { Execute } from '../execute.ts';
import { naturalNumber } from '../option-values.ts';

export function doctorCommand(execute: Execute) {
	return newCommand('doctor', {
		summary:
			'What this machine offers a campaign and, with a suite, a trial of that suite before money is spent on it.',
		example: 'kapso-evolve doctor ./solver --eval-dir ./suite',
	})
		.argument('[dir]', 'the unchanged repository that the suite is tried on', '.')
		.option('--eval-dir <dir>', 'the suite to try')
		.option('--data-dir <dir>', 'data of the suite')
		.option('--pairs <n>', 'how often the unchanged repository is scored twice (default: 1)', naturalNumber)
		.option('--config <file>', 'YAML configuration with an evaluation: block')
		.option('--mode <name>', 'mode of the configuration')
		.action((folder, flags) =>
			execute(flags, async (session) => (await import('../actions/doctor.ts')).doctorAction(session, folder, flags)),
		);
}
