import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { killMarked } from '@kapso-evolve/process';
import type { Campaign } from './campaign.ts';
import type { Flight } from './state.ts';
import { idempotencyKeyOf } from './steps/evaluate-externally.ts';
import { cloneOf } from './steps/implement.ts';

/** Finishes or puts aside what a dead process left; only what is provably ours, and the ledger says what was done. */
export async function repairCampaign(campaign: Campaign, found: { readonly tornBytes: number }): Promise<void> {
	const { flight } = campaign.state();
	const keep = flight?.steps.agent === undefined || flight.steps.finalised !== undefined ? null : flight.branch;
	const attempts = join(campaign.stateFolder, 'attempts');
	const leftovers = (await readdir(attempts).catch(() => [])).filter(
		(name) => name !== keep && !isKeptForLooking(campaign, name),
	);
	const reportOf = flight !== null && flight.steps.agent === undefined ? flight.branch : null;
	for (const name of leftovers) {
		if (name === reportOf) await rm(join(attempts, name, 'clone'), { recursive: true, force: true });
		else await rm(join(attempts, name), { recursive: true, force: true });
	}
	await rm(join(campaign.stateFolder, 'scoring'), { recursive: true, force: true });
	const repairs = [...campaign.workspace.repairs];
	const survivors = flight === null ? 0 : await killSurvivors(campaign, flight);
	if (survivors > 0) repairs.push(`${survivors} processes of the unfinished attempt were ended`);
	if (found.tornBytes > 0) repairs.push(`${found.tornBytes} bytes of a torn ledger line were cut off`);
	if (leftovers.length > 0) repairs.push(`${leftovers.length} folders of unfinished attempts were removed`);
	const abandoned = keep !== null && !(await canStillFinalise(campaign));
	if (abandoned) repairs.push(`the clone of ${keep} is gone; the attempt is repeated`);
	if (repairs.length > 0) {
		await campaign.append({
			type: 'repaired',
			nodeId: flight?.nodeId ?? null,
			attempt: flight?.attempt ?? null,
			data: { repairs, abandoned },
		});
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

async function canStillFinalise(campaign: Campaign): Promise<boolean> {
	const flight = campaign.state().flight!;
	if ((await campaign.workspace.branches()).has(flight.branch)) return true;
	return (await readdir(cloneOf(campaign, flight).folder).catch(() => null)) !== null;
}

/** A tree that was refused has no commit: its folder is the only copy of the agent's work. */
function isKeptForLooking(campaign: Campaign, name: string): boolean {
	return campaign
		.state()
		.nodes.some((node) => node.branchName === name && node.commit === null && node.outcome === 'invalid');
}
