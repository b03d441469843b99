import { join } from 'node:path';
import { openRecords } from '@kapso-evolve/checkpoint';
import { canonicalJson, type SearchNode, stateFolder } from '@kapso-evolve/contracts';
import type { ReadCampaign } from '../read-campaign.ts';
import type { Problem } from './problem.ts';

/** What the engine measured stands twice: in the ledger's line, and with its phases and programs in the record. */
export async function checkEvaluation(options: {
	readonly folder: string;
	readonly campaign: ReadCampaign;
	readonly node: SearchNode;
}): Promise<Problem[]> {
	const { folder, campaign, node } = options;
	const records = openRecords(join(folder, stateFolder, 'records'));
	const { nodeId, attempt } = node;
	const sha256 = node.records.evaluation;
	const missing = { code: 'RECORD_MISSING', message: `candidate ${nodeId} was scored by the engine without a record` };
	if (sha256 === undefined) return node.scoreSource === 'engine' ? [missing] : [];
	const bytes = await records.read({ nodeId, attempt, sha256 }).catch(() => null); // told with the other records
	if (bytes === null) return [];
	const line = campaign.lines.findLast(
		(each) => each.type === 'evaluated' && each.node_id === nodeId && each.attempt === attempt,
	);
	const record = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
	const differing = Object.entries(recordedTwice).filter(
		([name, inRecord]) => canonicalJson(line?.data[name] ?? null) !== canonicalJson(record[inRecord] ?? null),
	);
	if (differing.length === 0) return [];
	const names = differing.map(([name]) => name).join(', ');
	return [{ code: 'EVALUATION_DIFFERS', message: `candidate ${nodeId}: its record says otherwise of ${names}` }];
}

/** Names in the `evaluated` line and in the record. */
const recordedTwice = {
	outcome: 'outcome',
	code: 'code',
	score: 'score',
	scores: 'scores',
	metrics: 'metrics',
	case_scores: 'caseScores',
	level: 'level',
	isolation: 'isolation',
	candidate_isolated: 'candidateIsolated',
	stripped: 'stripped',
	not_proven: 'notProven',
	suite_digest: 'suiteDigest',
	data_digest: 'dataDigest',
};
