import { lstat, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
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
	const session = lost === null ? null : await closeLostAttempt(campaign, lost, branchName(nodeId, attempt));
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
			...(session === null ? {} : { session_id: session }),
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

/**
 * Money spent in an attempt that died is counted: from the report it left, else as not known. Its agent's session goes
 * on in the next attempt, if it can: gives its id, and moves the home that it lives in there.
 */
async function closeLostAttempt(campaign: Campaign, lost: Flight, next: string): Promise<string | null> {
	if (!lost.paid) await recordLostCost(campaign, lost);
	const isKept = lost.sessionId !== null && (await moveHome(campaign, lost, next));
	await removeTree(attemptFolder(campaign, lost));
	return isKept ? lost.sessionId : null;
}

async function moveHome(campaign: Campaign, lost: Flight, next: string): Promise<boolean> {
	if (campaign.agentFor(lost.nodeId).resumesSessions !== true) return false;
	const folder = attemptFolder(campaign, { branch: next });
	const home = join(attemptFolder(campaign, lost), 'home');
	// The agent had its home to itself: a link in its place leads nowhere that we go.
	const found = await lstat(home).catch(() => null);
	if (found?.isDirectory() !== true) return false;
	await removeTree(folder);
	await mkdir(folder, { recursive: true });
	await rename(home, join(folder, 'home'));
	return true;
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
