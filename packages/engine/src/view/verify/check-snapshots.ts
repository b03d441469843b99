import { join } from 'node:path';
import { type LedgerLine, sha256, stateFolder } from '@kapso-evolve/contracts';
import { hashTree, readBounded } from '@kapso-evolve/durable-fs';
import type { DataSnapshot } from '@kapso-evolve/eval-integrity';
import { launchPath } from '../../launch.ts';
import type { ReadCampaign } from '../read-campaign.ts';
import type { Problem } from './problem.ts';

const maxLaunchBytes = 4 * 1024 * 1024;

/** What the campaign was started with, and the suite and data that it scores with, are what its ledger says. */
export async function checkSnapshots(folder: string, campaign: ReadCampaign): Promise<Problem[]> {
	const { launch, suite } = campaign;
	const problems: Problem[] = [];
	const opened = campaign.lines[0]?.data;
	const named = {
		campaign_id: launch.campaignId,
		goal: launch.settings.goal,
		level: launch.evaluationLevel,
		isolation: launch.isolation,
		suite_digest: launch.suiteDigest,
		data_digest: launch.dataDigest,
		main_commit: launch.mainCommit,
		seed_commit: launch.seedCommit,
		engine_version: launch.engineVersion,
	};
	if (Object.entries(named).some(([name, value]) => opened?.[name] !== value)) {
		problems.push({
			code: 'LAUNCH_DIFFERS',
			message: 'launch.json names other inputs than the first line of the ledger',
		});
	}
	problems.push(...(await checkLaunch(folder, opened)));
	if ((suite?.digest ?? null) !== launch.suiteDigest) {
		problems.push({
			code: 'SUITE_DIFFERS',
			message: `the suite in ${stateFolder}/suite is not the one that was captured`,
		});
	}
	if (launch.dataDigest !== null) {
		const found = await hashTree(join(folder, stateFolder, 'data')).catch((error: unknown) => error);
		if ((found as { digest?: string }).digest !== launch.dataDigest) {
			problems.push({ code: 'DATA_DIFFERS', message: `the data in ${stateFolder}/data is not what was captured` });
		}
	}
	const scoredBy = campaign.lines.filter((line) => line.type === 'evaluated' && line.data.suite_digest !== undefined);
	for (const line of scoredBy) {
		if (line.data.suite_digest !== launch.suiteDigest) {
			problems.push({ code: 'SCORED_BY_OTHER_SUITE', message: `ledger line ${line.seq} was scored by another suite` });
		}
	}
	return problems;
}

/** Campaigns of before the first line held this digest have nothing to compare. */
async function checkLaunch(folder: string, opened: LedgerLine['data'] | undefined): Promise<Problem[]> {
	const recorded = (opened?.launch as { sha256?: string } | undefined)?.sha256;
	const found = sha256(await readBounded(launchPath(folder), { maxBytes: maxLaunchBytes }));
	if (recorded === undefined || recorded === found) return [];
	return [{ code: 'LAUNCH_DIFFERS', message: 'launch.json is not the file that the campaign was started with' }];
}

/** The campaign's own copy of the data. */
export async function dataOf(folder: string, campaign: ReadCampaign): Promise<DataSnapshot | null> {
	if (campaign.launch.dataDigest === null) return null;
	const root = join(folder, stateFolder, 'data');
	const { entries, digest } = await hashTree(root);
	return { source: campaign.launch.settings.dataDir ?? root, root, digest, entries };
}
