import { type Capture, createCapture } from './capture.ts';
import { createMeter, type Limit, type Limits, type Usage } from './meter.ts';
import { openProcessTree } from './process-tree.ts';
import { type Exit, startChild } from './start-child.ts';

export interface RunOptions {
	/** Program and arguments, never a shell line. A bare name is searched on the `PATH` of `env`. */
	readonly argv: readonly string[];
	readonly cwd: string;
	/** The whole environment of the child: nothing is inherited. */
	readonly env: Readonly<Record<string, string>>;
	/** Without it the child reads an empty standard input. A child that does not read it is no error. */
	readonly stdin?: string | Uint8Array;
	/**
	 * Milliseconds from the spawn on, 24 days at most. At that moment the tree is asked to end; `graceMs` later it is
	 * killed, so a program overruns its deadline by no more than that and a moment.
	 */
	readonly deadlineMs?: number;
	/** Milliseconds between SIGTERM and SIGKILL after a deadline or an abort; 0 kills at once. Default 2000. */
	readonly graceMs?: number;
	readonly signal?: AbortSignal;
	/** Kept bytes of each stream; everything is drained, head and tail are kept. Default 1 MiB. */
	readonly maxOutputBytes?: number;
	/** Sees every byte as it comes. When it throws, the tree is killed and `run` rejects with what it threw. */
	readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
	/** Given to the child as `KAPSO_RUN_ID`: whoever inherits it is found and killed, wherever it went. */
	readonly runMarker?: string;
	/**
	 * Sampled over the whole tree about every 100 ms; a tree that passes one is killed without grace. Give `{}` to
	 * measure only. `processes` counts every process of the tree, a sandbox's own two included.
	 */
	readonly limits?: Limits;
}

export interface RunResult {
	/** `exited` also for a non-zero exit and for a signal that was not ours. */
	readonly status: 'exited' | 'timed-out' | 'aborted' | 'limit-exceeded';
	readonly exitCode: number | null;
	readonly signalName: string | null;
	readonly limit: Limit | null;
	/** UTF-8; broken sequences become U+FFFD; the middle is left out when longer than the cap. */
	readonly stdout: string;
	readonly stderr: string;
	/** Bytes that the child wrote, kept or not. */
	readonly stdoutBytes: number;
	readonly stderrBytes: number;
	readonly truncated: boolean;
	/** From the spawn to the end of the program itself. */
	readonly wallMs: number;
	/** User and system time of the tree as last sampled; null when nothing was sampled (no `limits`, no Linux). */
	readonly cpuMs: number | null;
	/**
	 * Of a command line of `sandboxArgv` or `agentNamespaceArgv` that `exited`: false when the sandbox could not be made
	 * or the program in it not be started (`stderr` says why), so that the exit code is not the program's. Else null.
	 */
	readonly sandboxStarted: boolean | null;
	/** The highest sampled memory of the tree; null when nothing was sampled. */
	readonly peakMemoryBytes: number | null;
}

type Ending = Exclude<RunResult['status'], 'exited'>;

/** A process that the kernel does not let go (a dead disk) must not hold the caller for ever. */
const killPatienceMs = 5_000;

/** Longest delay that a timer takes: 24.8 days. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs a program to its end and leaves nothing of it behind: after a deadline, an abort, a passed limit and after a
 * normal exit too, the whole tree is gone when this returns. Rejects only when the program could not be started
 * (`PROGRAM_NOT_FOUND`, `SPAWN_FAILED`, both `infrastructure`); what the child did is data.
 */
export async function run(options: RunOptions): Promise<RunResult> {
	const { signal, limits, deadlineMs, graceMs = 2_000, maxOutputBytes = 2 ** 20 } = options;
	const stdout = createCapture(maxOutputBytes);
	const stderr = createCapture(maxOutputBytes);
	let ending: Ending | null = null;
	let limit: Limit | null = null;
	const thrown: unknown[] = [];
	const report = (exit: Exit, wallMs: number, usage: Usage | null, sandboxStarted: boolean | null): RunResult => ({
		status: ending ?? 'exited',
		...exit,
		sandboxStarted,
		limit,
		...outputs(stdout, stderr),
		wallMs,
		cpuMs: usage?.cpuMs ?? null,
		peakMemoryBytes: usage?.peakMemoryBytes ?? null,
	});
	if (signal?.aborted) {
		ending = 'aborted';
		return report({ exitCode: null, signalName: null }, 0, null, null);
	}

	const startedAt = performance.now();
	const child = startChild(options, (stream, chunk) => {
		(stream === 'stdout' ? stdout : stderr).add(chunk);
		try {
			options.onOutput?.(stream, chunk);
		} catch (error) {
			thrown.push(error);
			end('aborted', 0);
		}
	});
	const tree = openProcessTree(child.pid, options.runMarker);
	let killed = Promise.resolve();
	const end = (why: Ending, grace: number): void => {
		if (ending !== null) return;
		ending = why;
		killed = tree.end({ graceMs: grace, patienceMs: killPatienceMs });
		void killed.then(child.giveUp, child.giveUp);
	};
	const onAbort = (): void => end('aborted', graceMs);
	signal?.addEventListener('abort', onAbort, { once: true });
	const deadline =
		deadlineMs === undefined
			? undefined
			: setTimeout(() => end('timed-out', graceMs), Math.min(deadlineMs, longestTimerMs));
	const meter =
		limits &&
		createMeter(tree, limits, (passed) => {
			limit = passed;
			end('limit-exceeded', 0);
		});
	try {
		const exit = await child.exited;
		const wallMs = performance.now() - startedAt;
		clearTimeout(deadline);
		signal?.removeEventListener('abort', onAbort);
		const usage = meter?.stop() ?? null;
		await killed;
		const sweep = (): Promise<void> => tree.end({ graceMs: 0, patienceMs: killPatienceMs });
		if (tree.killGroup() || options.runMarker !== undefined) await sweep();
		await child.drained(sweep);
		if (thrown.length > 0) throw thrown[0];
		return report(exit, wallMs, usage, ending === null && exit.signalName === null ? child.sandboxStarted() : null);
	} finally {
		clearTimeout(deadline);
		signal?.removeEventListener('abort', onAbort);
		meter?.stop();
		child.release();
	}
}

function outputs(
	stdout: Capture,
	stderr: Capture,
): Pick<RunResult, 'stdout' | 'stderr' | 'stdoutBytes' | 'stderrBytes' | 'truncated'> {
	return {
		stdout: stdout.text(),
		stderr: stderr.text(),
		stdoutBytes: stdout.bytes(),
		stderrBytes: stderr.bytes(),
		truncated: stdout.truncated() || stderr.truncated(),
	};
}
