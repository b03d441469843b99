import { newCommand } from '../common-options.ts';
import type { Execute } from '../execute.ts';
import { amount, positiveInteger, positiveNumber } from '../option-values.ts';

export function resumeCommand(execute: Execute) {
	return newCommand('resume', {
		summary: 'Continue a campaign with its own settings: finish what was interrupted, or run more iterations.',
		example: 'kapso-evolve resume ./campaign --iterations 5',
	})
		.argument('<dir>', 'campaign folder')
		.option('--iterations <n>', 'run that many (default: what the interrupted call still owes)', positiveInteger)
		.option('--time-budget-minutes <n>', 'minutes over the whole campaign', positiveNumber)
		.option('--cost-budget <usd>', 'dollars over the whole campaign', amount)
		.option('--finalization-reserve-minutes <n>', 'minutes of the time budget kept for confirming the winner', amount)
		.option('--signing-key <file>', 'Ed25519 private key (PEM): signs every record')
		.action((folder, flags) =>
			execute(flags, async (session) => (await import('../actions/resume.ts')).resumeAction(session, folder, flags)),
		);
}
