import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { runCase } from './case.ts';
import type { Damage } from './damage.ts';
import { createDice } from './dice.ts';
import { prepareWorkspace, type WorkspaceModule } from './load-workspace.ts';
import type { Plant } from './plants.ts';
import { createWorld } from './world.ts';

export interface FuzzReport {
	cases: number;
	bytes_lost: number;
	refs_lost: number;
	unexplained: number;
	refused: number;
	operations: Record<string, number>;
	/** Numbers of the cases that did damage. */
	damaged: number[];
}

export interface FuzzOptions {
	readonly seed: string;
	readonly cases: number;
	/** Only this one, with everything that it does. */
	readonly only?: number | undefined;
	readonly plant?: Plant | null;
	readonly lanes: number;
	/** Stop at the first damage: a planted defect is found. */
	readonly untilFound?: boolean;
	/** Cases that are left out. */
	readonly except?: ReadonlySet<number>;
	say(line: string): void;
}

const casesPerWorld = 20;

export async function fuzzWorkspace(options: FuzzOptions): Promise<FuzzReport> {
	const { seed, only } = options;
	await using temporary = await temporaryFolder('fuzz');
	const module = (await import(await prepareWorkspace(options.plant ?? null, temporary.path))) as WorkspaceModule;
	const report: FuzzReport = {
		cases: 0,
		bytes_lost: 0,
		refs_lost: 0,
		unexplained: 0,
		refused: 0,
		operations: {},
		damaged: [],
	};
	const isOver = () => options.untilFound === true && report.bytes_lost + report.refs_lost + report.unexplained > 0;
	let next = only === undefined ? 0 : Math.floor(only / casesPerWorld);
	const lane = async () => {
		while (next * casesPerWorld < (only === undefined ? options.cases : only + 1) && !isOver()) {
			const number = next++;
			const folder = join(temporary.path, `w${number}`);
			mkdirSync(folder);
			await using world = await createWorld({ module, folder, dice: createDice(seed, 'world', number) });
			const first = number * casesPerWorld;
			const last = Math.min(first + casesPerWorld, options.cases);
			const wanted = only === undefined ? Array.from({ length: last - first }, (_, at) => first + at) : [only];
			for (const at of wanted) {
				if (isOver()) break;
				if (options.except?.has(at)) continue;
				const log: string[] = [];
				const answer = await runCase(
					{ world, dice: createDice(seed, 'case', at), log: (line) => log.push(line) },
					options.plant?.operation ?? null,
				);
				report.cases++;
				report.operations[answer.operation] = (report.operations[answer.operation] ?? 0) + 1;
				if (answer.refused) report.refused++;
				count(report, answer.damage);
				if (only !== undefined) for (const line of log) options.say(line);
				if (answer.damage.length === 0) continue;
				report.damaged.push(at);
				options.say(`case ${at} (--seed ${seed} --case ${at}): ${log.join(' | ')}`);
				for (const { kind, what } of answer.damage.slice(0, 8)) options.say(`  ${kind}: ${what}`);
			}
		}
	};
	await Promise.all(Array.from({ length: options.lanes }, lane));
	return report;
}

function count(report: FuzzReport, damage: readonly Damage[]): void {
	for (const { kind } of damage) {
		if (kind === 'bytes') report.bytes_lost++;
		else if (kind === 'refs') report.refs_lost++;
		else report.unexplained++;
	}
}
