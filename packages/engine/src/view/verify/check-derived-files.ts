import { join } from 'node:path';
import { loadHistory, type RunState } from '@kapso-evolve/checkpoint';
import { canonicalJson, stateFolder } from '@kapso-evolve/contracts';
import { fingerprintOf } from '../../fingerprint.ts';
import { runStateOf } from '../../save-campaign.ts';
import { foldLedger } from '../../state.ts';
import { engineVersion } from '../../version.ts';
import type { ReadCampaign } from '../read-campaign.ts';
import { type Problem, problemOf } from './problem.ts';

/** `run_state.json` and the history say what the ledger says, up to the line they were saved after. */
export async function checkDerivedFiles(
	folder: string,
	campaign: ReadCampaign,
	read: Promise<RunState>,
): Promise<Problem[]> {
	const state = join(folder, stateFolder);
	const problems: Problem[] = [];
	try {
		const saved = await read;
		const known = campaign.lines.findIndex((line) => line.sha256 === saved.ledgerHead);
		if (known < 0)
			problems.push({
				code: 'STATE_HEAD',
				message: 'run_state.json was saved after a line that the ledger does not have',
			});
		else {
			// A kill may leave it some lines behind; it must still be what the ledger said then.
			const isLast = known === campaign.lines.length - 1;
			const derived = runStateOf({
				launch: campaign.launch,
				fingerprint: { digest: saved.configFingerprint, parts: saved.fingerprintParts },
				state: isLast ? campaign.state : foldLedger(campaign.lines.slice(0, known + 1)),
				objective: campaign.suite?.evaluation?.objective ?? 'maximize',
				position: campaign.lines[known]!,
			});
			if (canonicalJson({ ...derived, engineVersion: '' }) !== canonicalJson({ ...saved, engineVersion: '' })) {
				problems.push({ code: 'STATE_DIFFERS', message: 'run_state.json does not say what the ledger says' });
			}
			const started = fingerprintOf({
				...campaign.launch,
				level: campaign.launch.evaluationLevel,
				initialRepo: campaign.launch.settings.initialRepo,
			});
			// Another version may make its fingerprint of other parts.
			if (campaign.launch.engineVersion === engineVersion && started.digest !== saved.configFingerprint) {
				problems.push({ code: 'LAUNCH_DIFFERS', message: 'launch.json has other settings than run_state.json' });
			}
			const history = isLast ? await loadHistory(join(state, 'experiment_history.json')) : campaign.state.nodes;
			if (canonicalJson(history) !== canonicalJson(campaign.state.nodes)) {
				problems.push({
					code: 'HISTORY_DIFFERS',
					message: 'experiment_history.json does not say what the ledger says',
				});
			}
		}
	} catch (error) {
		problems.push(problemOf('STATE_UNREADABLE', error));
	}
	return problems;
}
