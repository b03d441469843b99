import { readReport } from '@kapso-evolve/coding-agents';
import { removeTree } from '@kapso-evolve/durable-fs';
import type { Campaign } from '../campaign.ts';
import { type Flight, type Parent, totalCost } from '../state.ts';
import { attemptFolder, reportPath } from './implement.ts';

/** Says in the ledger what is about to be paid for, before it is. A redone attempt keeps its node id. */
export async function recordIntent(
	campaign: Campaign,
	options: {
		readonly parent: Parent;
		readonly nodeId: number;
		readonly iteration: number;
		readonly lost: Flight | null;
	},
): Promise<void> {
	const { parent, nodeId, iteration, lost } = options;
	const attempt = freeAttempt(campaign, nodeId, (lost?.attempt ?? 0) + 1);
	const { ids } = campaign.surroundings;
	const { costBudget } = campaign.settings;
	if (lost !== null) await closeLostAttempt(campaign, lost);
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
			cost_left_usd: costBudget === null ? null : costBudget - totalCost(campaign.state()),
		},
	});
	campaign.emit({ type: 'iteration', iteration, nodeId, attempt, parentBranch: parent.branch });
}

/** The name of a branch that somebody else made, or another release left, is not ours to take. */
function freeAttempt({ takenBranches }: Campaign, nodeId: number, from: number): number {
	let attempt = from;
	while (takenBranches.has(branchName(nodeId, attempt))) attempt += 1;
	return attempt;
}

/** Money spent in an attempt that died is counted: from the report it left, else as not known. */
async function closeLostAttempt(campaign: Campaign, lost: Flight): Promise<void> {
	if (!lost.paid) await recordLostCost(campaign, lost);
	await removeTree(attemptFolder(campaign, lost));
}

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
