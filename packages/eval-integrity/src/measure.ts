import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { copyOutputs } from '@kapso-evolve/durable-fs';
import type { RunResult } from '@kapso-evolve/process';
import type { Bench } from './bench.ts';
import { type Ending, isEnding } from './evaluation-record.ts';
import { createStage, type Place } from './phase-view.ts';
import { readResult, type ScoredResult } from './read-result.ts';
import { runPhase } from './run-phase.ts';
import { makeFolder } from './scratch.ts';
import { alteredCopy, snapshotFault } from './snapshot-fault.ts';

/** One measurement from fresh folders: build, run, score, each only where the evaluation has it (CONTRACTS 1). */
export async function measure(bench: Bench, folder: string): Promise<ScoredResult | Ending> {
	let outputs = bench.emptyFolder;
	let ran: RunResult | null = null;
	if (bench.evaluation.build) {
		const built = await build(bench, join(folder, 'build'));
		if (isEnding(built)) return built;
		outputs = built.outputs;
	}
	if (bench.evaluation.run) {
		const left = await runCandidate(bench, join(folder, 'run'), outputs);
		if (isEnding(left)) return left;
		({ outputs, ran } = left);
	}
	const fault = await snapshotFault(bench.suite, bench.data);
	return fault ?? score(bench, { folder: join(folder, 'score'), outputs, ran });
}

interface Left {
	/** The engine's own copy of what the phase wrote. */
	readonly outputs: string;
	readonly ran: RunResult;
}

async function build(bench: Bench, folder: string): Promise<Left | Ending> {
	const { command, timeout_seconds: timeoutSeconds } = bench.evaluation.build!;
	const stage = createStage({ folder, sandboxed: bench.sandboxed });
	const candidate = await stage.show('candidate', bench.candidateFolder);
	const outputs = await stage.fresh('outputs');
	const view = {
		cwd: candidate,
		readOnly: [candidate],
		writable: [outputs],
		variables: { KAPSO_CANDIDATE_DIR: candidate.inside, KAPSO_OUTPUTS_DIR: outputs.inside },
	};
	const ran = await runPhase(bench, { phase: 'build', command, timeoutSeconds, stage, view });
	return isEnding(ran) ? ran : collect(bench, { folder, outputs, ran });
}

async function runCandidate(bench: Bench, folder: string, built: string): Promise<Left | Ending> {
	const { command, timeout_seconds: timeoutSeconds } = bench.evaluation.run!;
	const stage = createStage({ folder, sandboxed: bench.sandboxed });
	const [candidate, inputs, data] = await Promise.all([
		stage.show('candidate', bench.candidateFolder),
		stage.show('inputs', bench.inputsFolder),
		stage.show('data', bench.runDataFolder),
	]);
	// What the build left stands in the outputs folder when the run begins: already the engine's own copy.
	const outputs = built === bench.emptyFolder ? await stage.fresh('outputs') : stage.hand('outputs', built);
	const view = {
		cwd: inputs,
		readOnly: [candidate, inputs, data],
		writable: [outputs],
		variables: {
			KAPSO_CANDIDATE_DIR: candidate.inside,
			KAPSO_DATA_DIR: data.inside,
			KAPSO_OUTPUTS_DIR: outputs.inside,
		},
	};
	const ran = await runPhase(bench, { phase: 'run', command, timeoutSeconds, stage, view });
	return isEnding(ran) ? ran : collect(bench, { folder, outputs, ran });
}

/** After the phase's processes are gone: real bytes of regular files, within the limits, or nothing. */
async function collect(
	bench: Bench,
	phase: { readonly folder: string; readonly outputs: Place; readonly ran: RunResult },
): Promise<Left | Ending> {
	const to = join(phase.folder, 'collected');
	const { output_mb: megabytes, output_files: maxFiles } = bench.evaluation.limits;
	try {
		if (!bench.holds('output-kinds')) {
			await cp(phase.outputs.host, to, { recursive: true, verbatimSymlinks: true });
			return { outputs: to, ran: phase.ran };
		}
		const copied = await copyOutputs({ from: phase.outputs.host, to, maxBytes: megabytes * 2 ** 20, maxFiles });
		if (copied.ok) return { outputs: to, ran: phase.ran };
		return { outcome: 'invalid', code: copied.code, error: `output ${JSON.stringify(copied.path)}: ${copied.reason}` };
	} catch (thrown) {
		// Without a sandbox a candidate can remove or exchange the folder itself.
		if (!KapsoError.isInstance(thrown) || !['FILE_MISSING', 'FILE_KIND'].includes(thrown.code)) throw thrown;
		return { outcome: 'invalid', code: 'OUTPUT_KIND', error: `the outputs folder is gone: ${thrown.message}` };
	}
}

async function score(
	bench: Bench,
	from: { readonly folder: string; readonly outputs: string; readonly ran: RunResult | null },
): Promise<ScoredResult | Ending> {
	const { command, timeout_seconds: timeoutSeconds } = bench.evaluation.score!;
	const stage = createStage({ folder: from.folder, sandboxed: bench.sandboxed });
	await makeFolder(from.folder);
	const reportFile = join(from.folder, 'run-report.json');
	await writeFile(reportFile, `${JSON.stringify(runReport(from.ran))}\n`, { mode: 0o644 });
	const [suite, data, outputs, report] = await Promise.all([
		stage.show('suite', bench.suite.root),
		stage.show('data', bench.data?.root ?? bench.emptyFolder),
		stage.show('outputs', from.outputs),
		stage.show('report.json', reportFile),
	]);
	// Only a suite without a run phase meets the candidate's code.
	const candidate = bench.evaluation.run ? null : await stage.show('candidate', bench.candidateFolder);
	const result = await stage.fresh('result');
	await makeFolder(join(result.host, 'artifacts'));
	const view = {
		cwd: candidate !== null && !bench.holds('suite-cwd') ? candidate : suite,
		readOnly: [suite, data, outputs, report, ...(candidate ? [candidate] : [])],
		writable: [result],
		variables: {
			KAPSO_OUTPUTS_DIR: outputs.inside,
			KAPSO_DATA_DIR: data.inside,
			KAPSO_RESULT_PATH: join(result.inside, 'result.json'),
			KAPSO_ARTIFACTS_DIR: join(result.inside, 'artifacts'),
			KAPSO_RUN_REPORT: report.inside,
			...(candidate ? { KAPSO_CANDIDATE_DIR: candidate.inside } : {}),
		},
	};
	const ran = await runPhase(bench, { phase: 'score', command, timeoutSeconds, stage, view });
	if (isEnding(ran)) return ran;
	const altered = bench.sandboxed ? null : await alteredCopy(suite.host, bench.suite);
	return altered ?? readResult(join(result.host, 'result.json'), bench.evaluation, bench.holds);
}

/** What the scorer may know of the run, measured from outside; null where there was no run phase. */
function runReport(ran: RunResult | null): Record<string, number | null> {
	return {
		schema_version: 1,
		wall_seconds: ran === null ? null : ran.wallMs / 1000,
		cpu_seconds: ran?.cpuMs == null ? null : ran.cpuMs / 1000,
		peak_memory_bytes: ran?.peakMemoryBytes ?? null,
		exit: ran?.exitCode ?? null,
	};
}
