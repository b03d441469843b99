import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepository, git, temporaryFolder } from '@kapso-evolve/testkit';
import { openWorkspace, type Workspace } from '@kapso-evolve/workspace-git';

/** A campaign of so many files of 2 KB, and a bare repository with the same commits for git alone. */
export interface Bench extends AsyncDisposable {
	readonly files: number;
	readonly rounds: number;
	readonly folder: string;
	readonly workspace: Workspace;
	/** A repository of its own with a work tree: what git is measured on. */
	readonly plain: string;
	/** `main`, and two candidates that differ from it in one file of a hundred. */
	readonly commits: readonly [string, string, string];
	/** Absolute path for something new. */
	place(name: string): string;
}

export async function openBench(files: number): Promise<Bench> {
	const temporary = await temporaryFolder('bench');
	const folder = temporary.path;
	const seed = join(folder, 'seed');
	await createRepository(seed, Object.fromEntries(Array.from({ length: files }, (_, index) => fileOf(index))));
	const workspace = await openWorkspace({
		path: join(folder, 'campaign'),
		seed,
		stateFolder: join(folder, 'state'),
		userEnvironment: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
	});
	const candidates: string[] = [];
	for (const name of ['one', 'two']) {
		const clone = await workspace.createAgentClone({
			commit: workspace.mainCommit,
			folder: join(folder, 'state', name),
		});
		for (let index = 0; index < files; index += 100)
			await writeFile(join(clone.folder, fileOf(index)[0]), `${name} ${index}\n`);
		const done = await workspace.finalise({ clone, parentCommit: workspace.mainCommit, branch: name, message: name });
		if (done.status !== 'committed') throw new Error('nothing changed');
		candidates.push(done.commit);
		await workspace.removeClone(clone);
	}
	const plain = join(folder, 'plain');
	await git(folder, 'clone', '--quiet', `file://${encodeURI(workspace.root)}`, plain);
	for (const name of ['one', 'two']) await git(plain, 'branch', '--quiet', name, `origin/${name}`);
	let places = 0;
	return {
		files,
		rounds: files >= 50_000 ? 3 : 5,
		folder,
		workspace,
		plain,
		commits: [workspace.mainCommit, candidates[0]!, candidates[1]!],
		place: (name) => join(folder, 'state', `${name}-${places++}`),
		async [Symbol.asyncDispose]() {
			await workspace.close();
			await temporary[Symbol.asyncDispose]();
		},
	};
}

export function fileOf(index: number): [string, string] {
	return [`folder ${Math.floor(index / 50)}/file ${index}.txt`, `${`${index} `.repeat(400).slice(0, 2047)}\n`];
}

/** Limits count from 5,000 files on: below, the starting of processes is all there is to measure. */
export function limitFrom5000(files: number, limit: number): number | null {
	return files >= 5000 ? limit : null;
}
