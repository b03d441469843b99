import { verifyCandidate } from '@kapso-evolve/eval-integrity';
import type { Campaign } from '../campaign.ts';
import type { Flight } from '../state.ts';

/** Judges the exact commit's tree against the caller's suite and data; an agent-generated suite is nobody's to judge. */
export async function verifyIntegrity(campaign: Campaign, flight: Flight): Promise<void> {
	const finalised = flight.steps.finalised!;
	if (finalised.status !== 'committed' || campaign.suite === null) return;
	campaign.emit({ type: 'phase', nodeId: flight.nodeId, phase: 'verify' });
	const verdict = await verifyCandidate({
		tree: campaign.workspace.candidateTree(finalised.commit as string),
		baseline: campaign.workspace.candidateTree(campaign.launch.mainCommit),
		suite: campaign.suite,
		data: campaign.data,
		level: campaign.level,
	});
	await campaign.append({
		type: 'integrity',
		nodeId: flight.nodeId,
		attempt: flight.attempt,
		data: verdict.valid
			? { valid: true, commit: finalised.commit, stripped: [...verdict.stripped], not_proven: [...verdict.notProven] }
			: {
					valid: false,
					commit: finalised.commit,
					code: verdict.code,
					error: verdict.error,
					paths: [...verdict.paths].slice(0, 100),
				},
	});
}
