import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDice } from './dice.ts';
import type { EngineOptions } from './engine.ts';
import type { WorkspaceModule } from './load-workspace.ts';
import { git } from './plain-git.ts';
import { importStream } from './trees.ts';

export interface BusyCampaign {
	readonly path: string;
	readonly stateFolder: string;
	readonly main: ReadonlyMap<string, string>;
}

/** A campaign of some hundred files, all of which differ between `main` and `generic_exp_0`. */
export async function createBusyCampaign(
	module: WorkspaceModule,
	folder: string,
	files: number,
): Promise<BusyCampaign> {
	const dice = createDice('busy');
	const tree = (word: string) =>
		new Map(
			Array.from({ length: files }, (_, number) => [
				`d${number % 9}/f${number}.txt`,
				`100644 ${`${word} ${number}\n`.repeat(1 + dice.integer(300))}`,
			]),
		);
	const seed = join(folder, 'seed');
	mkdirSync(seed, { recursive: true });
	const main = tree('main').set('.gitignore', '100644 *.log\n');
	await git(seed, ['init', '--quiet', '--initial-branch=main', '--template=']);
	await git(seed, ['fast-import', '--quiet'], importStream([{ branch: 'main', files: main }]));
	const [path, stateFolder] = [join(folder, 'campaign'), join(folder, 'state')];
	await using workspace = await module.openWorkspace({
		path,
		stateFolder,
		seed,
		userEnvironment: { PATH: process.env.PATH ?? '' },
	});
	const candidate = {
		branch: 'generic_exp_0',
		files: tree('a longer candidate').set('.gitignore', '100644 *.log\n'),
		parent: workspace.mainCommit,
	};
	await git(path, ['fast-import', '--quiet'], importStream([candidate]));
	return { path, stateFolder, main };
}

export function startEngine(options: EngineOptions) {
	const program = fileURLToPath(new URL('./engine.ts', import.meta.url));
	return spawn(process.execPath, ['--no-warnings', program, JSON.stringify(options)], {
		env: { PATH: process.env.PATH ?? '' },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
}
