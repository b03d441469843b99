import { join } from 'node:path';
import { openRecords } from '@kapso-evolve/checkpoint';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import type { CandidateView } from './campaign-view.ts';
import { openForReading } from './read-campaign.ts';

/** Everything about one candidate: its node, its diff as recorded, its ledger lines. */
export async function readCandidate(folder: string, nodeId: number): Promise<CandidateView> {
	const { state, lines } = await openForReading(folder);
	const node = state.nodes.find((candidate) => candidate.nodeId === nodeId);
	if (node === undefined) {
		throw new KapsoError({
			code: 'NO_SUCH_CANDIDATE',
			category: 'usage',
			message: `there is no candidate ${nodeId} in ${folder}`,
			hint: `nothing was touched; list them with: kapso-evolve log ${JSON.stringify(folder)}`,
			data: { nodeId, known: state.nodes.map((candidate) => candidate.nodeId) },
		});
	}
	const records = openRecords(join(folder, stateFolder, 'records'));
	const sha256 = node.records.diff;
	const diff =
		sha256 === undefined ? '' : (await records.read({ nodeId, attempt: node.attempt, sha256 })).toString('utf8');
	return { node, diff, ledger: lines.filter((line) => line.node_id === nodeId) };
}
