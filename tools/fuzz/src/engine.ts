// An engine in a process of its own, to be run beside others or killed: `node engine.ts <options as JSON>`.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAll } from './files.ts';
import type { WorkspaceModule } from './load-workspace.ts';

export interface EngineOptions {
	readonly module: string;
	readonly path: string;
	readonly stateFolder: string;
	/** `materialise`: `rounds` exact worktrees, one after the other. `everything`: until it is killed. */
	readonly work: 'materialise' | 'everything';
	readonly rounds: number;
	readonly run: string;
	/** What finalise said that it had made: one line each, written after it returned. */
	readonly made: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as EngineOptions;
const { openWorkspace } = (await import(options.module)) as WorkspaceModule;
const environment = { PATH: process.env.PATH ?? '' };
const open = () =>
	openWorkspace({
		path: options.path,
		stateFolder: options.stateFolder,
		userEnvironment: environment,
		checkoutMain: options.work === 'everything',
	});

if (options.work === 'materialise') {
	const workspace = await open();
	let exact = 0;
	for (let round = 0; round < options.rounds; round++) {
		const ref = round % 2 === 0 ? 'generic_exp_0' : 'main';
		try {
			await using tree = await workspace.materialize(ref);
			const right = (await workspace.objects.listTree(tree.commit)).length;
			if (readAll(tree.path, (path) => path === '.git').size === right) exact++;
			if (round % 10 === 0) await sleep(5);
		} catch (error) {
			process.stderr.write(`${options.run} ${round}: ${error instanceof Error ? error.message : error}\n`);
		}
	}
	await workspace.close();
	process.stdout.write(String(exact));
} else {
	const workspace = await open();
	process.stdout.write('open\n');
	for (let round = 0; ; round++) {
		await workspace.checkout('generic_exp_0');
		const folder = join(options.stateFolder, 'clones', `${options.run}-${round}`);
		const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder });
		writeFileSync(join(folder, 'new.txt'), `${options.run} ${round}\n`);
		writeFileSync(join(folder, 'left.log'), 'ignored\n');
		const branch = `made/${options.run}_${round}`;
		const result = await workspace.finalise({ clone, parentCommit: workspace.mainCommit, branch, message: 'made' });
		if (result.status === 'committed') appendFileSync(options.made, `${branch} ${result.commit}\n`);
		await workspace.removeClone(clone);
		const tree = await workspace.materialize(branch);
		await tree[Symbol.asyncDispose]();
		await workspace.checkout('main');
	}
}
