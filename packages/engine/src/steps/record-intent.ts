import { readReport } from '@kapso-evolve/coding-agents';
import type { Campaign } from '../campaign.ts';
import { completedIterations, type Flight, type Parent, totalCost } from '../state.ts';
import { reportPath } from './implement.ts';

/** Says in the ledger what is about to be paid for, before it is. A redone attempt keeps its node id. */
export async function recordIntent(campaign: Campaign, parent: Parent): Promise<Flight> {
	const state = campaign.state();
	const lost = state.flight;
	const nodeId = lost?.nodeId ?? state.nodes.length;
	const attempt = (lost?.attempt ?? 0) + 1;
	const iteration = lost?.iteration ?? completedIterations(state) + 1;
	const { ids } = campaign.surroundings;
	if (lost !== null && !lost.paid) await recordLostCost(campaign, lost);
	await campaign.append({
		type: 'intent',
		nodeId,
		attempt,
		data: {
			iteration,
			parent_branch: parent.branch,
			parent_commit: parent.commit,
			parent_node_id: parent.nodeId,
			parent_reason: parent.reason,
			branch: branchName(nodeId, attempt),
			run_id: ids.next('run'),
			nonce: ids.next('nonce'),
			agent: campaign.settings.agent,
			cost_left_usd: campaign.settings.costBudget === null ? null : campaign.settings.costBudget - totalCost(state),
		},
	});
	campaign.emit({ type: 'iteration', iteration, nodeId, attempt, parentBranch: parent.branch });
	return campaign.state().flight!;
}

/** Money spent in an attempt that died is counted: from the report it left, else as not known. */
async function recordLostCost(campaign: Campaign, lost: Flight): Promise<void> {
	const report = await readReport({ path: reportPath(campaign, lost), nonce: lost.nonce });
	const usd = campaign.settings.agent === 'gi' ? 0 : (report?.cost_usd ?? null);
	await campaign.append({
		type: 'cost',
		nodeId: lost.nodeId,
		attempt: lost.attempt,
		data: { component: 'agent', usd, basis: 'lost attempt' },
	});
}

/** CONTRACTS 5: evidence is never overwritten, so a redone attempt has a name of its own. */
export function branchName(nodeId: number, attempt: number): string {
	return attempt === 1 ? `generic_exp_${nodeId}` : `generic_exp_${nodeId}_a${attempt}`;
}
