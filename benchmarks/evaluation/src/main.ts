import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder, stateFolder, suiteFolder } from '@kapso-evolve/contracts';
import { captureSuite, evaluate, suiteFiles, verifyCandidate } from '@kapso-evolve/eval-integrity';
import { openSandbox, run } from '@kapso-evolve/process';
import { createRepository, git, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { openWorkspace } from '@kapso-evolve/workspace-git';

const rounds = 9;
const path = process.env.PATH ?? '/usr/bin:/bin';
const numbered = (count: number, folder: string): Record<string, string> =>
	Object.fromEntries(
		Array.from({ length: count }, (_, index) => [
			`${folder} ${Math.floor(index / 50)}/file ${index}.txt`,
			`${`${index} `.repeat(400).slice(0, 2047)}\n`,
		]),
	);
const hidden = new Set<string>([suiteFolder, dataFolder, stateFolder]);
const exclude = (name: string): boolean => hidden.has(name.split('/', 1)[0]!);

const sandbox = await openSandbox({ path });
if (sandbox.isolation === 'none') throw new Error(`this benchmark needs a sandbox: ${sandbox.reason}`);
const { program: bwrap } = sandbox;
await using temporary = await temporaryFolder('bench');
const { path: folder } = temporary;
const seed = join(folder, 'seed');
await createRepository(seed, { ...numbered(5000, 'folder'), 'solve.sh': 'true\n' });
await writeFiles(join(folder, 'evaluation'), {
	...numbered(997, 'cases'),
	'kapso.evaluation.yaml':
		'version: 1\nrun: {command: [sh, run.sh], files: [run.sh]}\nscore: {command: [sh, score.sh]}\n',
	'run.sh': 'true\n',
	'score.sh': 'printf \'{"schema_version":1,"valid":true,"score":1}\' > "$KAPSO_RESULT_PATH"\n',
});
const suite = await captureSuite({
	from: join(folder, 'evaluation'),
	to: join(folder, 'suite'),
	visibility: 'visible',
});
const workspace = await openWorkspace({
	path: join(folder, 'campaign'),
	seed,
	stateFolder: join(folder, 'state'),
	userEnvironment: { PATH: path },
});
const files = [];
for await (const file of suiteFiles(suite)) files.push({ ...file, path: `${suiteFolder}/${file.path}` });
const main = await workspace.commitFiles({ files, replaceFolders: [suiteFolder], message: 'Suite' });
const clone = await workspace.createAgentClone({ commit: main, folder: join(folder, 'clone') });
const commits: string[] = [];
for (let index = 0; index < 2 * rounds + 1; index++) {
	await writeFiles(clone.folder, { 'solve.sh': `true ${index}\n` });
	const made = await workspace.finalise({ clone, parentCommit: main, branch: `candidate_${index}`, message: 'x' });
	if (made.status === 'committed') commits.push(made.commit);
}

const times = {
	fresh: [] as number[],
	pooled: [] as number[],
	verify: [] as number[],
	plain: [] as number[],
	plainVerify: [] as number[],
};
const programHashes = new Map<string, Promise<string>>();
try {
	await score(commits.pop()!, true); // programs hashed, first folder of the pool written
	for (let round = 0; round < rounds; round++) {
		times.fresh.push(await timed(() => score(commits.pop()!, false)));
		times.plain.push(await plain(commits.at(-1)!, round));
		times.pooled.push(await timed(() => score(commits.pop()!, true)));
		times.verify.push(await timed(() => verify(main)));
	}
} finally {
	await workspace.close();
}
const [fresh, pooled, verifying] = [median(times.fresh), median(times.pooled), median(times.verify)];
const [plainAll, plainVerify] = [median(times.plain), median(times.plainVerify)];
const report = {
	...{ fresh_ms: fresh, pooled_ms: pooled, plain_ms: plainAll },
	...{ fresh_ratio: fresh / plainAll, pooled_ratio: pooled / plainAll },
	...{ verify_ms: verifying, plain_verify_ms: plainVerify, verify_ratio: verifying / plainVerify },
};
const rounded = Object.fromEntries(
	Object.entries(report).map(([name, value]) => [name, Math.round(value * 100) / 100]),
);
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rounded, null, 2)}\n`);
else console.table(rounded);

async function verify(commit: string): Promise<void> {
	const tree = workspace.candidateTree(commit);
	const verdict = await verifyCandidate({ tree, suite, data: null, level: 'sealed' });
	if (!verdict.valid) throw new Error(verdict.error);
}

async function score(commit: string, fromPool: boolean): Promise<void> {
	await verify(commit);
	const work = join(folder, 'work');
	await mkdir(join(work, 'evaluation'), { recursive: true });
	const lease = fromPool ? await workspace.leaseTree(commit, { exclude }) : null;
	const candidateFolder = lease?.path ?? join(work, 'candidate');
	if (lease === null) await workspace.materializeTree(commit, { to: candidateFolder, exclude });
	const record = await evaluate({
		...{ suite, data: null, level: 'sealed', sandbox, path, programHashes, candidateFolder },
		workFolder: join(work, 'evaluation'),
		nodeProgram: process.execPath,
		environment: {},
	});
	if (record.score !== 1) throw new Error(`no score: ${record.code} ${record.error}`);
	await lease?.[Symbol.asyncDispose]();
	await rm(work, { recursive: true });
}

/** What somebody would type who trusted the folder. */
async function plain(commit: string, round: number): Promise<number> {
	const worktree = join(folder, `worktree ${round}`);
	const started = performance.now();
	await git(workspace.root, 'worktree', 'add', '--quiet', '--detach', worktree, commit);
	const checked = performance.now();
	await git(workspace.root, 'ls-tree', '-r', commit);
	const env = { PATH: path };
	await run({ argv: ['sh', '-c', 'find kapso_evaluation -type f -print0 | xargs -0 sha256sum'], cwd: worktree, env });
	times.plainVerify.push(performance.now() - checked);
	const argv = [bwrap, '--ro-bind', '/', '/', '--unshare-all', '--die-with-parent', '/bin/true'];
	for (let start = 0; start < 2; start++) await run({ argv, cwd: '/', env });
	const elapsed = performance.now() - started;
	await git(workspace.root, 'worktree', 'remove', '--force', worktree);
	return elapsed;
}

async function timed(work: () => Promise<void>): Promise<number> {
	const started = performance.now();
	await work();
	return performance.now() - started;
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
