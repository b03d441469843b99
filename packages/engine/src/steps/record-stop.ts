import { readLedger } from '@kapso-evolve/checkpoint';
import type { Campaign } from '../campaign.ts';
import { ledgerPath } from '../launch.ts';
import { saveCampaign } from '../save-campaign.ts';
import type { Stop } from './should-stop.ts';

/** The last line of a slice: after it, whatever the slice owed has been done, the delivery included. */
export async function recordStop(campaign: Campaign, stop: Stop): Promise<void> {
	// The ledger as it is on the disk, not as this process remembers it: damage is told now, not at the next resume.
	await readLedger({ path: ledgerPath(campaign.folder), campaignId: campaign.launch.campaignId });
	await campaign.append({
		type: 'stopped',
		nodeId: null,
		attempt: null,
		data: { reason: stop.reason, detail: stop.detail, elapsed_ms: campaign.elapsedMs() },
	});
	await saveCampaign(campaign);
	campaign.emit({ type: 'stopped', reason: stop.reason, detail: stop.detail });
}
