import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '@kapso-evolve/testkit';
import { type Bench, fileOf, limitFrom5000 } from './bench.ts';
import { milliseconds, pair, type Row } from './row.ts';

/** Everything of the workspace's that one candidate needs, beside what a person would type for it. */
export async function measureCandidate(bench: Bench): Promise<Row[]> {
	const { workspace, plain, files, rounds, commits } = bench;
	const parent = commits[0];
	const withoutClone: { ours: number; git: number }[] = [];
	const whole = await pair(
		rounds,
		async (round) => {
			const started = performance.now();
			const clone = await workspace.createAgentClone({ commit: parent, folder: bench.place('clone') });
			const cloned = performance.now();
			await writeFile(join(clone.folder, fileOf(0)[0]), `candidate ${round}\n`);
			const branch = `candidate-${round}`;
			const done = await workspace.finalise({ clone, parentCommit: parent, branch, message: branch });
			if (done.status !== 'committed') throw new Error('nothing changed');
			await workspace.diff(parent, done.commit);
			await workspace.candidateTree(done.commit).entries();
			await using _ = await workspace.leaseTree(done.commit);
			await workspace.removeClone(clone);
			const ended = performance.now();
			withoutClone[round] = { ...withoutClone[round]!, ours: ended - cloned };
			return ended - started;
		},
		async (round) => {
			const took = await cloneCycle(bench, round);
			withoutClone[round] = { ...withoutClone[round]!, git: took };
			return took;
		},
	);
	const rest = await pair(
		rounds,
		async (round) => withoutClone[round]!.ours,
		async (round) => withoutClone[round]!.git,
	);
	await git(plain, 'worktree', 'prune');
	return [
		{ files, what: 'candidate, whole path | clone cycle', ...whole, limit: limitFrom5000(files, 0.6) },
		{ files, what: 'candidate without the agent’s clone | clone cycle', ...rest, limit: limitFrom5000(files, 0.25) },
	];
}

/** Clone, commit, push, worktree added and removed: one candidate by hand. */
async function cloneCycle(bench: Bench, round: number): Promise<number> {
	const { plain } = bench;
	const clone = bench.place('cycle');
	const worktree = bench.place('cycle-worktree');
	return milliseconds(async () => {
		await git(bench.folder, 'clone', '--quiet', '--branch', 'main', `file://${encodeURI(plain)}`, clone);
		await writeFile(join(clone, fileOf(0)[0]), `cycle ${round}\n`);
		await git(clone, 'commit', '--quiet', '--all', '--message', 'candidate');
		await git(clone, 'push', '--quiet', 'origin', `HEAD:refs/heads/cycle-${round}`);
		await git(plain, 'worktree', 'add', '--quiet', '--detach', worktree, `cycle-${round}`);
		await git(plain, 'worktree', 'remove', worktree);
	});
}
