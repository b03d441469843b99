import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunOptions, type RunResult, run, type SandboxSpec, sandboxArgv } from '@kapso-evolve/process';
import type { Bench } from './bench.ts';
import { type Ending, isEnding } from './evaluation-record.ts';
import type { PhaseView, Place, Stage } from './phase-view.ts';
import { hashProgram, nodeMount, pinnedPath, resolveProgram } from './program.ts';
import { watchFolders } from './watch-folders.ts';

export interface PhaseRequest {
	readonly phase: 'build' | 'run' | 'score';
	readonly command: readonly string[];
	readonly timeoutSeconds: number;
	readonly stage: Stage;
	readonly view: PhaseView;
}

/** How a phase ended when it did not end by itself with exit 0: names for each phase. */
const endings = {
	build: { outcome: 'crashed', late: 'timed-out', failed: 'BUILD_FAILED', timedOut: 'BUILD_TIMED_OUT' },
	run: { outcome: 'crashed', late: 'timed-out', failed: 'RUN_CRASHED', timedOut: 'RUN_TIMED_OUT' },
	score: { outcome: 'invalid', late: 'invalid', failed: 'SCORER_CRASH', timedOut: 'SCORER_TIMEOUT' },
} as const;

/** Processes of the sandbox itself, which count in the tree. */
const sandboxProcesses = 2;
const tailBytes = 8 * 1024;
const megabyte = 2 ** 20;

/**
 * Runs one phase to its end, nothing of it surviving, and records it. Gives what was measured when it exited with 0,
 * else why there is no score. An abort by the caller throws the caller's reason.
 */
export async function runPhase(bench: Bench, request: PhaseRequest): Promise<RunResult | Ending> {
	const { phase, view, stage } = request;
	const [name, ...placed] = await placeArguments(bench, request);
	const program = await resolveProgram(name!, view, bench.programs);
	if (isEnding(program)) {
		const { outcome, failed } = endings[phase];
		return program.outcome === 'crashed' ? { ...program, outcome, code: failed } : program;
	}
	const argv = [program.start, ...placed];
	const home = await stage.fresh('home');
	const temporary = bench.sandboxed ? null : await stage.fresh('temporary');
	const env = {
		PATH: pinnedPath(bench.programs),
		HOME: home.inside,
		TMPDIR: temporary?.inside ?? '/tmp',
		LANG: 'C.UTF-8',
		...bench.passedVariables,
		...view.variables,
	};
	const writable = [...view.writable, home];
	const overflow = watchFolders({
		folders: writable.map((place) => place.host),
		maxBytes: 2 * bench.evaluation.limits.output_mb * megabyte,
		maxFiles: 2 * bench.evaluation.limits.output_files,
	});
	const { limits } = bench.evaluation;
	const settings: Omit<RunOptions, 'argv' | 'cwd'> = {
		env,
		deadlineMs: request.timeoutSeconds * 1000,
		maxOutputBytes: 2 * tailBytes,
		limits: !bench.holds('limits')
			? {}
			: {
					memoryBytes: limits.memory_mb * megabyte,
					processes: limits.processes + (bench.sandboxed ? sandboxProcesses : 0),
					cpuMs: limits.cpu_seconds * 1000,
				},
		signal: bench.signal ? AbortSignal.any([bench.signal, overflow.signal]) : overflow.signal,
	};
	try {
		const hashing = hashProgram(program.path, bench.programHashes);
		const limited = [...bench.kernelLimits, ...argv];
		const [ended, sha256] = await Promise.all([
			bench.sandboxed
				? run({ ...settings, cwd: '/', graceMs: 0, argv: sandboxed(bench, view, writable, limited) })
				: run({ ...settings, cwd: view.cwd.host, argv: limited, runMarker: bench.runMarker }),
			hashing,
		]);
		bench.signal?.throwIfAborted();
		if (ended.sandboxStarted === false) {
			const said = ended.stderr.trim().split('\n')[0] ?? '';
			return { outcome: 'infrastructure', code: 'SANDBOX_FAILED', error: `the sandbox no longer starts: ${said}` };
		}
		const { exitCode, wallMs, cpuMs, peakMemoryBytes } = ended;
		bench.phases.push({
			phase,
			argv,
			program: { path: program.path, sha256 },
			status: ended.status === 'aborted' ? 'limit-exceeded' : ended.status,
			...{ exitCode, wallMs, cpuMs, peakMemoryBytes },
			stdout: tail(ended.stdout),
			stderr: tail(ended.stderr),
		});
		if (ended.status === 'aborted') return limitEnding(phase, 'OUTPUT', overflow.reason() ?? 'too much was written');
		if (!bench.holds('exit-status') && ended.status === 'exited') return ended;
		return endingOf(phase, ended, request.timeoutSeconds) ?? ended;
	} finally {
		overflow.stop();
	}
}

function sandboxed(bench: Bench, view: PhaseView, writable: readonly Place[], argv: readonly string[]): string[] {
	const mount = (place: Place) => ({ source: place.host, at: place.inside });
	const spec: SandboxSpec = {
		argv,
		cwd: view.cwd.inside,
		readOnly: [
			...view.readOnly.map(mount),
			...bench.evaluation.mounts.map(({ path, at }) => ({ source: path, at })),
			...nodeMount(bench.programs),
		],
		writable: writable.map(mount),
		devices: bench.evaluation.devices,
	};
	return weaken(sandboxArgv(bench.sandbox, spec), bench);
}

/** The command line as it is, unless a test left a defence out. */
function weaken(argv: string[], { holds, sharedTemporaries }: Bench): string[] {
	const all = '--unshare-all';
	const without = [
		...(holds('network') ? [] : [all, '--share-net']),
		...(holds('process-namespace') ? [] : ['--unshare-ipc', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try']),
	];
	const open = without.length === 0 ? argv : argv.flatMap((word) => (word === all ? without : [word]));
	if (holds('private-temporaries')) return open;
	const end = open.indexOf('--remount-ro');
	return [...open.slice(0, end), '--bind', sharedTemporaries, '/tmp', ...open.slice(end)];
}

/**
 * Arguments as the phase's process needs them: `${KAPSO_…}` of the phase's own variables, and in the run phase a
 * relative path that is no shown suite file but a file of the candidate becomes that file.
 */
async function placeArguments(bench: Bench, request: PhaseRequest): Promise<string[]> {
	const { cwd, variables } = request.view;
	const candidate = variables.KAPSO_CANDIDATE_DIR;
	return Promise.all(
		request.command.map(async (argument, index) => {
			const named = argument.replace(/\$\{(KAPSO_[A-Z_]+)\}/g, (whole, name: string) => variables[name] ?? whole);
			if (request.phase !== 'run' || candidate === undefined || !/^[\w.@+-][\w./@+ -]*$/.test(named)) return named;
			if (index === 0 && !named.includes('/')) return named;
			if (named.startsWith('-') || named.split('/').includes('..')) return named;
			if (await exists(join(cwd.host, named))) return named;
			return (await exists(join(bench.candidateFolder, named))) ? join(candidate, named) : named;
		}),
	);
}

async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}

function endingOf(phase: PhaseRequest['phase'], ended: RunResult, timeoutSeconds: number): Ending | null {
	const names = endings[phase];
	if (ended.status === 'timed-out') {
		const error = `the ${phase} phase was still running after ${timeoutSeconds} s`;
		return { outcome: names.late, code: names.timedOut, error };
	}
	if (ended.status === 'limit-exceeded') return limitEnding(phase, (ended.limit ?? 'unknown').toUpperCase());
	if (ended.exitCode === 0) return null;
	// 128 + the signal's number is how a sandbox reports that its program died of it
	if (ended.signalName === 'SIGXCPU' || ended.exitCode === 152) return limitEnding(phase, 'CPU');
	if (ended.signalName === 'SIGXFSZ' || ended.exitCode === 153) return limitEnding(phase, 'OUTPUT');
	const how = ended.signalName === null ? `exit ${ended.exitCode}` : `signal ${ended.signalName}`;
	const said = ended.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
	return {
		outcome: names.outcome,
		code: names.failed,
		error: `the ${phase} phase ended with ${how}${said === '' ? '' : `: ${said}`}`,
	};
}

function limitEnding(phase: PhaseRequest['phase'], limit: string, detail = 'its limit was passed'): Ending {
	return {
		outcome: endings[phase].outcome,
		code: `LIMIT_${limit}`,
		error: `the ${phase} phase was stopped by the ${limit.toLowerCase()} limit: ${detail}`,
	};
}

function tail(text: string): string {
	const bytes = Buffer.from(text);
	return bytes.length <= tailBytes ? text : bytes.subarray(-tailBytes).toString('utf8');
}
