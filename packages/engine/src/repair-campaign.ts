import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '@kapso-evolve/durable-fs';
import { killMarked } from '@kapso-evolve/process';
import type { Campaign } from './campaign.ts';
import type { Flight } from './state.ts';
import { idempotencyKeyOf } from './steps/evaluate-externally.ts';
import { cloneOf } from './steps/implement.ts';

/** Finishes or puts aside what a dead process left; only what is provably ours, and the ledger says what was done. */
export async function repairCampaign(campaign: Campaign, found: { readonly tornBytes: number }): Promise<void> {
	const repairs = [...campaign.workspace.repairs];
	if (found.tornBytes > 0) repairs.push(`${found.tornBytes} bytes of a torn ledger line were cut off`);
	const { flights } = campaign.state();
	for (const flight of flights) {
		const survivors = await killSurvivors(campaign, flight);
		if (survivors > 0) repairs.push(`${survivors} processes of the unfinished attempt ${flight.branch} were ended`);
	}
	repairs.push(...(await sweepAttempts(campaign)));
	await removeTree(join(campaign.stateFolder, 'scoring'));
	if (repairs.length > 0) await campaign.append({ type: 'repaired', nodeId: null, attempt: null, data: { repairs } });
	for (const flight of flights) {
		if (isWaitingForFinalise(flight) && !(await canStillFinalise(campaign, flight))) await abandon(campaign, flight);
	}
}

/** Where there is no PID namespace, processes may outlive the engine that started them; they carry its marks. */
async function killSurvivors(campaign: Campaign, flight: Flight): Promise<number> {
	const commit = flight.steps.finalised?.commit;
	const marks = [flight.runId, ...(typeof commit === 'string' ? [idempotencyKeyOf(campaign, commit)] : [])];
	let ended = 0;
	for (const mark of marks) ended += await killMarked(mark);
	return ended;
}

/** A clone in which an agent was still working is never used again; what it reported of its cost is read first. */
async function sweepAttempts(campaign: Campaign): Promise<string[]> {
	const attempts = join(campaign.stateFolder, 'attempts');
	const { flights } = campaign.state();
	const repairs: string[] = [];
	for (const name of await readdir(attempts).catch(() => [])) {
		const flight = flights.find(({ branch }) => branch === name);
		if ((flight !== undefined && isWaitingForFinalise(flight)) || isKeptForLooking(campaign, name)) continue;
		const wasWorking = flight !== undefined && flight.steps.agent === undefined;
		// An agent may have put a link in the folder's place: then the link goes, and nothing that it leads to.
		const isFolder = (await lstat(join(attempts, name))).isDirectory();
		await removeTree(wasWorking && isFolder ? join(attempts, name, 'clone') : join(attempts, name));
		repairs.push(`the clone of the unfinished attempt ${name} was removed`);
	}
	return repairs;
}

function isWaitingForFinalise(flight: Flight): boolean {
	return flight.steps.agent !== undefined && flight.steps.finalised === undefined;
}

async function canStillFinalise(campaign: Campaign, flight: Flight): Promise<boolean> {
	if ((await campaign.workspace.branches()).has(flight.branch)) return true;
	return (await readdir(cloneOf(campaign, flight).folder).catch(() => null)) !== null;
}

async function abandon(campaign: Campaign, { nodeId, attempt, branch }: Flight): Promise<void> {
	const repairs = [`the clone of ${branch} is gone; the attempt is repeated`];
	await campaign.append({ type: 'repaired', nodeId, attempt, data: { repairs, abandoned: true } });
}

/** A tree that was refused has no commit: its folder is the only copy of the agent's work. */
function isKeptForLooking(campaign: Campaign, name: string): boolean {
	return campaign
		.state()
		.nodes.some((node) => node.branchName === name && node.commit === null && node.outcome === 'invalid');
}
