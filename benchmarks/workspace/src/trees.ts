import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '@kapso-evolve/testkit';
import { bareGit } from './bare-git.ts';
import { type Bench, limitFrom5000 } from './bench.ts';
import { milliseconds, pair, type Row } from './row.ts';

const workers = ['-c', 'checkout.workers=4', '-c', 'checkout.thresholdForParallelism=100'];

export async function measureSwitch({ workspace, plain, files, rounds }: Bench): Promise<Row> {
	const target = (round: number) => ['one', 'two', 'main'][round % 3]!;
	const measured = await pair(
		rounds,
		(round) => milliseconds(() => workspace.checkout(target(round))),
		(round) => milliseconds(() => git(plain, ...workers, 'switch', '--quiet', target(round))),
	);
	return { files, what: 'safe switch | git switch', ...measured, limit: limitFrom5000(files, 3) };
}

export async function measureWorktree(bench: Bench): Promise<Row[]> {
	const { workspace, plain, files, rounds, commits } = bench;
	const removals: { ours: number; git: number }[] = [];
	const made = await pair(
		rounds,
		async (round) => {
			const started = performance.now();
			const tree = await workspace.materialize(commits[1 + (round % 2)]!);
			const took = performance.now() - started;
			removals[round] = { ...removals[round]!, ours: await milliseconds(async () => tree[Symbol.asyncDispose]()) };
			return took;
		},
		async (round) => {
			const path = bench.place('worktree');
			const add = ['worktree', 'add', '--quiet', '--detach', path, commits[1 + (round % 2)]!];
			const took = await milliseconds(() => git(plain, ...workers, ...add));
			removals[round] = { ...removals[round]!, git: await milliseconds(() => git(plain, 'worktree', 'remove', path)) };
			return took;
		},
	);
	const removed = await pair(
		rounds,
		async (round) => removals[round]!.ours,
		async (round) => removals[round]!.git,
	);
	return [
		{ files, what: 'fresh worktree | git worktree add', ...made, limit: limitFrom5000(files, 1.2) },
		{ files, what: 'worktree removed | git worktree remove', ...removed, limit: null },
	];
}

export async function measureFolders(bench: Bench): Promise<Row[]> {
	const { workspace, files, rounds, commits } = bench;
	const commit = (round: number) => commits[1 + (round % 2)]!;
	const oneWorker = async (round: number) => {
		const to = bench.place('git-tree');
		await mkdir(to);
		const took = await milliseconds(() => checkoutIndex(bench, commit(round), to));
		return took;
	};
	const fresh = await pair(
		rounds,
		async (round) => {
			const to = bench.place('tree');
			const took = await milliseconds(() => workspace.materializeTree(commit(round), { to }));
			return took;
		},
		oneWorker,
	);
	await (await workspace.leaseTree(commits[0]))[Symbol.asyncDispose]();
	const pooled = await pair(
		rounds,
		(round) =>
			milliseconds(async () => {
				await using _ = await workspace.leaseTree(commit(round));
			}),
		oneWorker,
	);
	return [
		{ files, what: 'plain folder | git checkout-index, one worker', ...fresh, limit: limitFrom5000(files, 1.2) },
		{
			files,
			what: 'pooled folder, proven | git checkout-index, one worker',
			...pooled,
			limit: limitFrom5000(files, 0.25),
		},
	];
}

async function checkoutIndex(bench: Bench, commit: string, to: string): Promise<void> {
	const options = { variables: { GIT_INDEX_FILE: bench.place('index') } };
	const where = [`--git-dir=${join(bench.plain, '.git')}`, `--work-tree=${to}`, '-c', 'checkout.workers=1'];
	await bareGit(to, [...where, 'read-tree', commit], options);
	await bareGit(to, [...where, 'checkout-index', '--all', '--quiet'], options);
}
