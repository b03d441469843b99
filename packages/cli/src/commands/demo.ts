import { newCommand } from '../common-options.ts';
import type { Execute } from '../execute.ts';
import { naturalNumber, positiveInteger } from '../option-values.ts';

export function demoCommand(execute: Execute) {
	return newCommand('demo', {
		summary:
			'Run a real campaign on a bundled problem with the embedded agent: no key, no network, at most 60 seconds on 2 cores.',
		example: 'kapso-evolve demo --output ./my-demo',
	})
		.option('--output <dir>', 'campaign folder (default: ./kapso-demo, or the next free kapso-demo-N)')
		.option('--iterations <n>', 'iterations (default: 3)', positiveInteger)
		.option('--seed <n>', 'seed of everything random (default: 1)', naturalNumber)
		.action((flags) =>
			execute(flags, async (session) => (await import('../actions/demo.ts')).demoAction(session, flags)),
		);
}
