import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '@kapso-evolve/testkit';
import { bareGit } from './bare-git.ts';
import { type Bench, fileOf } from './bench.ts';
import { milliseconds, pair, type Row, rounded } from './row.ts';

/** What finalising costs when the campaign has no candidate and when it has thousands, beside a push in the same state. */
export async function measureIngestion(bench: Bench, candidates: number): Promise<Row> {
	const rounds = 9;
	const first = await ingest(bench, 'early', rounds);
	await addCandidates(bench.workspace.root, bench.commits[0], candidates);
	await addCandidates(bench.plain, bench.commits[0], candidates);
	const last = await ingest(bench, 'late', rounds);
	return {
		files: bench.files,
		what: `finalise at candidate ${candidates} | git push in the same state`,
		...last,
		limit: null,
		first_ours_ms: first.ours_ms,
		first_git_ms: first.git_ms,
		growth: rounded(last.ours_ms! / first.ours_ms!),
		growth_git: rounded(last.git_ms! / first.git_ms!),
	};
}

async function ingest(bench: Bench, name: string, rounds: number) {
	const { workspace, plain, commits } = bench;
	const clone = bench.place('pusher');
	await git(bench.folder, 'clone', '--quiet', '--branch', 'main', `file://${encodeURI(plain)}`, clone);
	return pair(
		rounds,
		async (round) => {
			const made = await workspace.createAgentClone({ commit: commits[0], folder: bench.place('clone') });
			await writeFile(join(made.folder, fileOf(1)[0]), `${name} ${round}\n`);
			const branch = `${name}_${round}`;
			const took = await milliseconds(() =>
				workspace.finalise({ clone: made, parentCommit: commits[0], branch, message: branch }),
			);
			await workspace.removeClone(made);
			return took;
		},
		async (round) => {
			await writeFile(join(clone, fileOf(1)[0]), `${name} ${round}\n`);
			return milliseconds(async () => {
				await git(clone, 'commit', '--quiet', '--all', '--message', 'candidate');
				await git(clone, 'push', '--quiet', 'origin', `HEAD:refs/heads/${name}_${round}`);
			});
		},
	);
}

/** So many candidates as they would lie there: loose objects, loose refs with their logs. */
async function addCandidates(repository: string, parent: string, count: number): Promise<void> {
	const stream: string[] = [];
	for (let number = 0; number < count; number++) {
		const text = `candidate ${number}\n`;
		stream.push(
			`commit refs/heads/generic_exp_${number}\ncommitter A User <user@example.invalid> ${number} +0000\n`,
			`data ${text.length}\n${text}from ${parent}\nM 100644 inline new.txt\ndata ${text.length}\n${text}\n`,
		);
	}
	const argv = ['-c', 'fastimport.unpackLimit=1000000', 'fast-import', '--quiet'];
	await bareGit(repository, argv, { input: stream.join('') });
}
