import { Option } from '@commander-js/extra-typings';
import { parentPolicySchema } from '@kapso-evolve/contracts';
import { newCommand } from '../common-options.ts';
import type { Execute } from '../execute.ts';
import { naturalNumber } from '../option-values.ts';

const external = ['--external', 'external metrics too: possibly a holdout, so never by default'] as const;

/** The commands that only read a campaign's files: beside a run, after a crash, on another machine. */
export function statusCommand(execute: Execute) {
	return newCommand('status', {
		summary: 'One screen: best, score over the baseline, iterations, spend, level, last stop.',
		example: 'kapso-evolve status ./campaign --json',
	})
		.argument('<dir>', 'campaign folder')
		.option(...external)
		.action((folder, flags) =>
			execute(flags, async (session) => (await import('../actions/status.ts')).statusAction(session, folder, flags)),
		);
}

export function logCommand(execute: Execute) {
	return newCommand('log', {
		summary: 'Candidates as a tree: id, score or outcome, cost, branch.',
		example: 'kapso-evolve log ./campaign',
	})
		.argument('<dir>', 'campaign folder')
		.option(...external)
		.action((folder, flags) =>
			execute(flags, async (session) => (await import('../actions/log.ts')).logAction(session, folder, flags)),
		);
}

export function showCommand(execute: Execute) {
	return newCommand('show', {
		summary: 'Everything about one candidate, its diff included.',
		example: 'kapso-evolve show ./campaign 3',
	})
		.argument('<dir>', 'campaign folder')
		.argument('<node>', 'id of the candidate, as log prints it', naturalNumber)
		.option(...external)
		.action((folder, node, flags) =>
			execute(flags, async (session) => (await import('../actions/show.ts')).showAction(session, folder, node, flags)),
		);
}

export function verifyCommand(execute: Execute) {
	return newCommand('verify', {
		summary: 'Replay the evidence offline: ledger chain, commits, suite and data digests, results.',
		example: 'kapso-evolve verify ./campaign --head 3f1c…',
	})
		.argument('<dir>', 'campaign folder')
		.option('--head <sha>', 'newest ledger head, kept elsewhere: anchors the chain')
		.option('--rescore', 'score the best candidate again from its bytes and compare')
		.option('--public-key <file>', 'Ed25519 public key (PEM) that every record must be signed with')
		.action((folder, flags) =>
			execute(flags, async (session) => (await import('../actions/verify.ts')).verifyAction(session, folder, flags)),
		);
}

export function replayCommand(execute: Execute) {
	return newCommand('replay', {
		summary:
			'Run a past campaign again from its records, at no cost: identical, or where it would have gone elsewhere.',
		example: 'kapso-evolve replay ./campaign --parent-policy baseline',
	})
		.argument('<dir>', 'campaign folder')
		.addOption(
			new Option('--parent-policy <policy>', 'another policy than the recorded one').choices(
				parentPolicySchema.options,
			),
		)
		.action((folder, flags) =>
			execute(flags, async (session) => (await import('../actions/replay.ts')).replayAction(session, folder, flags)),
		);
}

export function agentsCommand(execute: Execute) {
	return newCommand('agents', {
		summary: 'Each coding agent: found or not, version, how it would authenticate and be billed.',
		example: 'kapso-evolve agents',
	}).action((flags) => execute(flags, async (session) => (await import('../actions/agents.ts')).agentsAction(session)));
}
