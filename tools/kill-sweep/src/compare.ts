import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CampaignView, readCampaign, verifyCampaign } from '@kapso-evolve/engine';
import type { Scenario } from './scenario.ts';

export interface Damage {
	lost: number;
	duplicated: number;
	orphans: number;
	mismatched: number;
	readonly notes: string[];
}

/** What a killed and resumed campaign is held against: the same one, unkilled. */
export async function compare(options: {
	readonly scenario: Scenario;
	readonly unkilled: CampaignView;
	readonly before: CampaignView | null;
}): Promise<Damage> {
	const { scenario, unkilled, before } = options;
	const damage: Damage = { lost: 0, duplicated: 0, orphans: 0, mismatched: 0, notes: [] };
	const after = await readCampaign(scenario.output);
	for (const node of before?.nodes ?? []) {
		const same = after.nodes.find((candidate) => candidate.nodeId === node.nodeId);
		if (JSON.stringify({ ...same, confirmation: '' }) !== JSON.stringify({ ...node, confirmation: '' }))
			damage.lost += 1;
	}
	damage.duplicated = after.nodes.length - new Set(after.nodes.map((node) => node.nodeId)).size;
	const differences = [
		['candidates', essence(unkilled), essence(after)],
		['best', unkilled.best?.score, after.best?.score],
		['confirmed', unkilled.best?.confirmed, after.best?.confirmed],
		['baseline', unkilled.baselineScore, after.baselineScore],
		['books', after.costUsd, await sumOfAttempts(scenario)],
		['lock', null, after.lock],
	] as const;
	for (const [name, expected, found] of differences) {
		if (JSON.stringify(expected) === JSON.stringify(found)) continue;
		damage.mismatched += 1;
		damage.notes.push(`${name}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
	}
	const report = await verifyCampaign(scenario.output, { environment: { PATH: process.env.PATH } });
	if (!report.ok) {
		damage.mismatched += 1;
		damage.notes.push(...report.problems.map((problem) => `verify: ${problem.code} ${problem.message}`));
	}
	const orphans = [...(await leftovers(scenario)), ...(await processesOf(scenario))];
	damage.orphans = orphans.length;
	damage.notes.push(...orphans.map((orphan) => `orphan: ${orphan}`));
	return damage;
}

function essence(view: CampaignView): unknown {
	return view.nodes.map(({ nodeId, iteration, score, outcome, treeSha256 }) => [
		nodeId,
		iteration,
		score,
		outcome,
		treeSha256,
	]);
}

/** Dollars of every `cost` line: lost attempts that reported their cost are paid for as well. */
async function sumOfAttempts(scenario: Scenario): Promise<number> {
	const text = await readFile(join(scenario.output, '.kapso', 'ledger.jsonl'), 'utf8');
	const lines = text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as { type: string; data: { usd?: number | null } });
	return lines.reduce((sum, line) => sum + (line.type === 'cost' ? (line.data.usd ?? 0) : 0), 0);
}

/** Clones, worktrees and set-up folders that nobody needs any more. */
async function leftovers(scenario: Scenario): Promise<string[]> {
	const found = (await readdir(scenario.folder)).filter((name) => name.includes('kapso-setup'));
	const state = join(scenario.folder, 'state');
	for (const campaign of await readdir(state)) {
		for (const kind of ['attempts', 'scoring', 'worktrees']) {
			const names = await readdir(join(state, campaign, kind)).catch(() => []);
			found.push(...names.map((name) => join(kind, name)));
		}
	}
	return found;
}

/** Command lines of living processes that name the scenario's folder. */
async function processesOf(scenario: Scenario): Promise<string[]> {
	const found: string[] = [];
	for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
		const command = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
		if (Number(pid) !== process.pid && command.includes(scenario.folder)) found.push(command.replaceAll('\0', ' '));
	}
	return found;
}
