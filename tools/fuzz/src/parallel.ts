import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { createBusyCampaign, startEngine } from './busy-campaign.ts';
import { readAll } from './files.ts';
import { prepareWorkspace, type WorkspaceModule } from './load-workspace.ts';
import { git } from './plain-git.ts';

export interface ParallelReport {
	workers: number;
	/** Exact worktrees, of `workers` x `each`, by lanes of one engine. */
	lanes: string;
	/** The same by as many engine processes on one campaign. */
	processes: string;
	leaked: number;
}

/** Many materialisations at once, where Git alone fails one time in four. */
export async function fuzzParallel(o: {
	workers: number;
	each: number;
	say: (line: string) => void;
}): Promise<ParallelReport> {
	await using temporary = await temporaryFolder('parallel');
	const url = await prepareWorkspace(null, temporary.path);
	const module = (await import(url)) as WorkspaceModule;
	const { path, stateFolder } = await createBusyCampaign(module, temporary.path, 40);
	const wanted = o.workers * o.each;

	let lanes = 0;
	{
		await using workspace = await module.openWorkspace({
			path,
			stateFolder,
			userEnvironment: { PATH: process.env.PATH ?? '' },
		});
		const lane = async (number: number) => {
			for (let round = 0; round < o.each; round++) {
				try {
					await using tree = await workspace.materialize((round + number) % 2 === 0 ? 'main' : 'generic_exp_0');
					const files = (await workspace.objects.listTree(tree.commit)).length;
					if (readAll(tree.path, (name) => name === '.git').size === files) lanes++;
				} catch (error) {
					o.say(`lane ${number}, ${round}: ${error instanceof Error ? error.message : error}`);
				}
			}
		};
		await Promise.all(Array.from({ length: o.workers }, (_, number) => lane(number)));
	}

	const engines = Array.from({ length: o.workers }, async (_, number) => {
		const options = {
			module: url,
			path,
			stateFolder,
			work: 'materialise',
			rounds: o.each,
			run: `p${number}`,
			made: '',
		} as const;
		const child = startEngine(options);
		const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
		if (stderr !== '') o.say(stderr.trim());
		return Number(stdout);
	});
	const processes = (await Promise.all(engines)).reduce((sum, exact) => sum + exact, 0);
	const registered =
		(await git(path, ['worktree', 'list', '--porcelain'])).split('\n').filter((line) => line.startsWith('worktree '))
			.length - 1;
	const left =
		readdirSync(join(stateFolder, 'worktrees')).length +
		readdirSync(stateFolder).filter((name) => name.startsWith('engine-')).length;
	return {
		workers: o.workers,
		lanes: `${lanes} of ${wanted}`,
		processes: `${processes} of ${wanted}`,
		leaked: registered + left,
	};
}
