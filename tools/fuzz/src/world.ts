import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeClock } from '@kapso-evolve/testkit';
import type { OpenWorkspaceOptions, Workspace } from '@kapso-evolve/workspace-git';
import type { Dice } from './dice.ts';
import type { WorkspaceModule } from './load-workspace.ts';
import { createOracle, type Oracle } from './oracle.ts';
import { git } from './plain-git.ts';
import { changedTree, importStream, mainFiles } from './trees.ts';

/** A campaign with candidates, in a folder of its own, that every case of a round starts from anew. */
export interface World extends AsyncDisposable {
	readonly folder: string;
	readonly root: string;
	readonly state: string;
	readonly oracle: Oracle;
	/** Branch -> commit; `main`, candidates and a user's branch of odd names. */
	readonly branches: ReadonlyMap<string, string>;
	/** A program that says, by making `ran`, that it was run. */
	readonly tripwire: string;
	readonly ran: string;
	/** A folder of someone else's that links lead to. */
	readonly canary: string;
	/** A small repository with one commit, to be copied. */
	readonly nested: string;
	readonly workspace: Workspace;
	open(options?: Partial<OpenWorkspaceOptions>): Promise<Workspace>;
	/** Files that the other program of a surprise wrote. */
	ranShim(): readonly string[];
	/** What the user's own commands did outside and by the user's own programs is theirs: a case begins after it. */
	disarm(): void;
	/** The campaign's folder as it was when the world was made. */
	reset(): void;
}

export async function createWorld(options: {
	readonly module: WorkspaceModule;
	readonly folder: string;
	readonly dice: Dice;
}): Promise<World> {
	const { module, folder, dice } = options;
	const [root, state, canary] = [join(folder, 'campaign ü'), join(folder, 'state'), join(folder, 'canary')];
	const nested = join(folder, 'nested');
	const [tripwire, ran] = [join(folder, 'tripwire'), join(folder, 'ran')];
	for (const path of [folder, canary, nested, join(folder, 'seed')]) mkdirSync(path, { recursive: true });
	writeFileSync(join(canary, 'precious.txt'), 'precious\n');
	writeFileSync(tripwire, `#!/bin/sh\n: > '${ran}'\ncat\n`);
	chmodSync(tripwire, 0o755);
	for (const [name, files] of [
		['seed', mainFiles],
		['nested', new Map([['inside.txt', '100644 inside\n']])],
	] as const) {
		await git(folder, ['init', '--quiet', '--initial-branch=main', '--template=', name]);
		await git(join(folder, name), ['fast-import', '--quiet'], importStream([{ branch: 'main', files }]));
	}
	await git(nested, ['reset', '--quiet', '--hard']);
	const opened: Workspace[] = [];
	const open = async (more: Partial<OpenWorkspaceOptions> = {}) => {
		const workspace = await module.openWorkspace({
			path: root,
			stateFolder: state,
			userEnvironment: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: join(folder, 'home') },
			clock: fakeClock(),
			...more,
		});
		opened.push(workspace);
		return workspace;
	};
	const workspace = await open({ seed: join(folder, 'seed') });
	const oracle = createOracle(root);
	const trees = ['generic_exp_0', 'generic_exp_1', 'generic_exp_2', 'users/odd'].map((branch) => ({
		branch,
		files: changedTree(dice, mainFiles, branch === 'users/odd'),
		parent: workspace.mainCommit,
	}));
	await git(root, ['fast-import', '--quiet'], importStream(trees));
	const branches = new Map(
		(await git(root, ['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads/']))
			.split('\n')
			.map((line) => line.split(' ') as [string, string]),
	);
	for (const { branch, files } of trees) oracle.know(branches.get(branch)!, files);
	oracle.know(workspace.mainCommit, mainFiles);
	const template = join(folder, 'template');
	execFileSync('cp', ['-a', root, template]);
	return {
		...{ folder, root, state, oracle, branches, tripwire, ran, canary, nested, workspace, open },
		ranShim() {
			const path = join(folder, 'begun');
			return existsSync(path)
				? readFileSync(path, 'latin1')
						.split('\n')
						.map((line) => line.replace(/^\.\//, ''))
				: [];
		},
		disarm() {
			rmSync(ran, { force: true });
			// `git sparse-checkout` removes files behind a link that stands for a tracked folder.
			writeFileSync(join(canary, 'precious.txt'), 'precious\n');
		},
		reset() {
			execFileSync('rm', ['-rf', join(folder, 'begun'), join(folder, 'theirs')]);
			execFileSync('sh', ['-c', 'rm -rf "$1" "$3" && cp -a "$2" "$1"', 'sh', root, template, ran]);
		},
		async [Symbol.asyncDispose]() {
			for (const one of opened) await one.close();
			execFileSync('rm', ['-rf', folder]);
		},
	};
}
