import type { Campaign } from '../campaign.ts';
import { saveCampaign } from '../save-campaign.ts';
import type { Stop } from './should-stop.ts';

/** The last line of a slice: after it, whatever the slice owed has been done, the delivery included. */
export async function recordStop(campaign: Campaign, stop: Stop): Promise<void> {
	await campaign.append({
		type: 'stopped',
		nodeId: null,
		attempt: null,
		data: { reason: stop.reason, detail: stop.detail, elapsed_ms: campaign.elapsedMs() },
	});
	await saveCampaign(campaign);
	campaign.emit({ type: 'stopped', reason: stop.reason, detail: stop.detail });
}
