import { join } from 'node:path';
import { type Ledger, openLedger } from '@kapso-evolve/checkpoint';
import { sha256 } from '@kapso-evolve/contracts';
import { type Launch, launchText } from './launch.ts';
import type { Surroundings } from './settings.ts';

/** A new ledger in a `.kapso` folder, with its first line: whose it is and what its scores will be about. */
export async function startLedger(
	state: string,
	options: {
		readonly launch: Launch;
		readonly surroundings: Pick<Surroundings, 'clock'>;
		/** Further data of the first line. */
		readonly data?: Readonly<Record<string, unknown>>;
	},
): Promise<Ledger> {
	const { launch, surroundings } = options;
	const ledger = await openLedger({
		path: join(state, 'ledger.jsonl'),
		campaignId: launch.campaignId,
		clock: surroundings.clock,
		slice: 0,
	});
	await ledger.append({
		type: 'opened',
		nodeId: null,
		attempt: null,
		data: {
			campaign_id: launch.campaignId,
			goal: launch.settings.goal,
			level: launch.evaluationLevel,
			isolation: launch.isolation,
			suite_digest: launch.suiteDigest,
			data_digest: launch.dataDigest,
			main_commit: launch.mainCommit,
			seed_commit: launch.seedCommit,
			engine_version: launch.engineVersion,
			launch: { sha256: sha256(launchText(launch)) },
			...options.data,
		},
	});
	return ledger;
}
