import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CodingAgent } from '@kapso-evolve/coding-agents';
import { evolve } from '@kapso-evolve/engine';
import { createRepository, git, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';

const rounds = 7;
const suite = {
	'kapso.evaluation.yaml':
		'version: 1\nrun: {command: [node, run.mjs], files: [run.mjs]}\nscore: {command: [node, score.mjs]}\n',
	'run.mjs': "import { writeFileSync } from 'node:fs'; writeFileSync(`${process.env.KAPSO_OUTPUTS_DIR}/done`, '1');\n",
	'score.mjs':
		'import { writeFileSync } from \'node:fs\'; writeFileSync(process.env.KAPSO_RESULT_PATH, \'{"schema_version":1,"valid":true,"score":1}\');\n',
};

interface Row {
	readonly files: number;
	readonly engine_ms: number;
	readonly engine_cpu_ms: number;
	readonly clone_cycle_ms: number;
	readonly ratio: number;
}

const rows: Row[] = [];
for (const files of [50, 5000]) rows.push(await measure(files));
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else console.table(rows);

async function measure(files: number): Promise<Row> {
	await using temporary = await temporaryFolder('bench');
	const { path: folder } = temporary;
	const seed = join(folder, 'seed');
	await createRepository(seed, Object.fromEntries(Array.from({ length: files }, (_, index) => fileOf(index))));
	await writeFiles(join(folder, 'suite'), suite);
	const engine: number[] = [];
	const cpu: number[] = [];
	const cycles: number[] = [];
	let agentMs = 0;
	let evaluationMs = 0;
	const agent: CodingAgent = {
		name: 'command',
		version: '0',
		async run(request) {
			// The plain cycle runs while the engine waits for its agent: in turn with the candidates, in the same run.
			const started = performance.now();
			cycles.push(await cloneCycle({ seed, folder, round: cycles.length }));
			await writeFile(join(request.folder, 'folder 0', 'file 0.txt'), `candidate ${request.runId}\n`);
			agentMs = performance.now() - started;
			return {
				status: 'reported',
				report: { schema_version: 1, nonce: request.nonce, summary: 'one file' },
				exitCode: 0,
				reason: null,
				costUsd: 0,
				sessionId: null,
				model: null,
				transcript: '',
				durationMs: agentMs,
			};
		},
	};
	let started = 0;
	let cpuStarted = process.cpuUsage();
	await evolve({
		goal: 'measure',
		outputPath: join(folder, 'campaign'),
		workDir: join(folder, 'state'),
		initialRepo: seed,
		evalDir: join(folder, 'suite'),
		agent,
		maxIterations: rounds,
		parentPolicy: 'baseline',
		environment: { PATH: process.env.PATH },
		onEvent(event) {
			if (event.type === 'iteration') {
				started = performance.now();
				cpuStarted = process.cpuUsage();
			} else if (event.type === 'recorded') {
				engine.push(performance.now() - started - agentMs);
				const used = process.cpuUsage(cpuStarted);
				cpu.push((used.user + used.system) / 1000);
			}
		},
	});
	const ledger = (await readFile(join(folder, 'campaign', '.kapso', 'ledger.jsonl'), 'utf8')).trim().split('\n');
	const lines = ledger.map(
		(line) => JSON.parse(line) as { type: string; node_id: number | null; data: { evaluation_ms?: number } },
	);
	const withoutEvaluation = engine.map((total, node) => {
		evaluationMs = lines.find((line) => line.type === 'evaluated' && line.node_id === node)?.data.evaluation_ms ?? 0;
		return total - evaluationMs;
	});
	const engineMs = median(withoutEvaluation);
	const cycleMs = median(cycles);
	return {
		files,
		engine_ms: round(engineMs),
		engine_cpu_ms: round(median(cpu)),
		clone_cycle_ms: round(cycleMs),
		ratio: round(engineMs / cycleMs),
	};
}

/** What a person would type to make one candidate by hand. */
async function cloneCycle(options: { seed: string; folder: string; round: number }): Promise<number> {
	const clone = join(options.folder, `clone-${options.round}`);
	const worktree = join(options.folder, `worktree-${options.round}`);
	const started = performance.now();
	await git(options.folder, 'clone', '--quiet', `file://${options.seed}`, clone);
	await writeFile(join(clone, 'folder 0', 'file 0.txt'), `cycle ${options.round}\n`);
	await git(clone, 'commit', '--quiet', '--all', '--message', 'candidate');
	await git(clone, 'push', '--quiet', 'origin', `HEAD:refs/heads/cycle-${options.round}`);
	await git(options.seed, 'worktree', 'add', '--quiet', '--detach', worktree, `cycle-${options.round}`);
	await git(options.seed, 'worktree', 'remove', worktree);
	const elapsed = performance.now() - started;
	await rm(clone, { recursive: true });
	return elapsed;
}

function fileOf(index: number): [string, string] {
	return [`folder ${Math.floor(index / 50)}/file ${index}.txt`, `${`${index} `.repeat(400).slice(0, 2047)}\n`];
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)]!;
}

function round(value: number): number {
	return Math.round(value * 100) / 100;
}
