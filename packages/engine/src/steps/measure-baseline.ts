import { type Campaign, isEngineScored } from '../campaign.ts';
import { refuseInfrastructure, scoreCommit } from '../score-commit.ts';

/** Step 0, once in a campaign: `main` is scored. It is the number to beat and no node; it may have none. */
export async function measureBaseline(campaign: Campaign): Promise<void> {
	if (campaign.state().baseline !== null || !isEngineScored(campaign.level)) return;
	const record = await scoreCommit(campaign, campaign.launch.mainCommit, { stripped: [], notProven: [] });
	campaign.throwIfInterrupted();
	refuseInfrastructure(record);
	await campaign.append({
		type: 'evaluated',
		nodeId: null,
		attempt: null,
		data: {
			outcome: record.outcome,
			code: record.code,
			error: record.error,
			score: record.score,
			scores: record.scores,
			commit: campaign.launch.mainCommit,
			suite_digest: record.suiteDigest,
			data_digest: record.dataDigest,
			evaluation_ms: Math.round(record.durationMs),
		},
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
