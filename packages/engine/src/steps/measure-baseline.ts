import { type Campaign, isEngineScored } from '../campaign.ts';
import { evidenceOf, recordBytes } from '../evidence.ts';
import { refuseInfrastructure, scoreCommit } from '../score-commit.ts';

/** Step 0, once in a campaign: `main` is scored. It is the number to beat and no node; it may have none. */
export async function measureBaseline(campaign: Campaign): Promise<void> {
	if (campaign.state().baseline !== null || !isEngineScored(campaign.level)) return;
	const record = await scoreCommit(campaign, campaign.launch.mainCommit, { stripped: [], notProven: [] });
	campaign.throwIfInterrupted();
	refuseInfrastructure(record);
	const { mainCommit } = campaign.launch;
	const evaluation = await campaign.records.put({
		nodeId: null,
		attempt: 1,
		name: 'evaluation',
		bytes: recordBytes(record),
	});
	const treeSha256 = await campaign.workspace.treeDigest(mainCommit);
	await campaign.append({
		type: 'evaluated',
		nodeId: null,
		attempt: null,
		data: { ...evidenceOf(campaign, record, { commit: mainCommit, parentCommit: null, treeSha256 }), evaluation },
	});
	campaign.emit({ type: 'baseline', score: record.score, outcome: record.outcome, error: record.error });
	if (record.score !== null) return;
	campaign.emit({
		type: 'warning',
		code: 'BASELINE_NOT_SCORED',
		message:
			'the unchanged repository gets no score, and candidates are paid for all the same; if that is not meant, stop here and look with: kapso-evolve evaluate',
	});
}
