import { join } from 'node:path';
import { type Fingerprint, loadRunState, readLedger, validateResume } from '@kapso-evolve/checkpoint';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import { fingerprintOf } from './fingerprint.ts';
import { ledgerPath } from './launch.ts';
import type { OpenOptions } from './open-campaign.ts';

/** Refuses everything that differs from the recorded campaign, all of it at once, before a byte is touched. */
export async function validateCampaign(options: OpenOptions): Promise<Fingerprint> {
	const { folder, launch, settings, inputs } = options;
	const fingerprint = fingerprintOf({
		settings,
		level: inputs.level,
		suiteDigest: inputs.suite?.digest ?? null,
		evaluationDigest: inputs.evaluationDigest,
		dataDigest: inputs.dataDigest,
		mainCommit: launch.mainCommit,
		initialRepo: settings.initialRepo ?? launch.settings.initialRepo,
		evaluatorIdentity: options.evaluatorIdentity,
	});
	// The state first: it is asked without the lock, and a running engine's state names lines that the ledger has already.
	const runState = await loadRunState(join(folder, stateFolder, 'run_state.json'));
	const { lines } = await readLedger({ path: ledgerPath(folder), campaignId: launch.campaignId });
	if (!lines.some((line) => line.sha256 === runState.ledgerHead)) {
		throw new KapsoError({
			code: 'LEDGER_ROLLED_BACK',
			category: 'usage',
			message: `${ledgerPath(folder)} does not contain the line ${runState.ledgerHead} that run_state.json was saved after`,
			hint: 'nothing was touched; restore ledger.jsonl from a backup, or compare with: kapso-evolve verify DIR',
			data: { ledgerHead: runState.ledgerHead, lines: lines.length },
		});
	}
	validateResume(runState, { goal: settings.goal, strategyType: 'generic', fingerprint });
	return fingerprint;
}
