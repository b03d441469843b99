import { type ChildProcess, type IOType, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { KapsoError } from '@kapso-evolve/contracts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import type { RunOptions } from './run.ts';
import { runMarkerVariable } from './run-marker.ts';
import { hasStarted, reportsStatus, statusDescriptor } from './sandbox-status.ts';

export interface Exit {
	readonly exitCode: number | null;
	readonly signalName: string | null;
}

export interface Child {
	/** 0 when the program could not be started. */
	readonly pid: number;
	/** Rejects with `PROGRAM_NOT_FOUND` or `SPAWN_FAILED`. */
	readonly exited: Promise<Exit>;
	/** Everything was killed and still no exit was seen: waits a moment longer, then settles `exited` without a code. */
	readonly giveUp: () => void;
	/**
	 * After the exit: waits until both pipes are closed. Whoever holds one open is given 100 ms, then `sweep` runs, and
	 * what is still in the pipes is read as long as bytes come, two seconds at most.
	 */
	drained(sweep: () => Promise<void>): Promise<void>;
	/** Null when the command line is none of a sandbox. */
	sandboxStarted(): boolean | null;
	release(): void;
}

const giveUpAfterMs = 1_000;
const quietMs = 100;
const drainPatienceMs = 2_000;

/** Spawns the program as the leader of a new session and process group, its streams connected, its input written. */
export function startChild(options: RunOptions, onChunk: (stream: 'stdout' | 'stderr', chunk: Buffer) => void): Child {
	const { promise: exited, resolve, reject } = Promise.withResolvers<Exit>();
	const fail = (cause: unknown): void => {
		void startFailure(options, cause).then(reject, reject);
	};
	let child: ChildProcess;
	try {
		child = spawnDetached(options);
	} catch (cause) {
		fail(cause);
		return { pid: 0, exited, giveUp() {}, drained: async () => {}, sandboxStarted: () => null, release() {} };
	}
	let received = 0;
	let giveUpTimer: NodeJS.Timeout | undefined;
	const closed = new Promise<void>((done) => child.once('close', () => done()));
	child.once('error', fail);
	child.once('exit', (exitCode, signalName) => resolve({ exitCode, signalName }));
	for (const name of ['stdout', 'stderr'] as const) {
		child[name]?.on('error', () => {}); // the end of this stream, which `close` tells
		child[name]?.on('data', (chunk: Buffer) => {
			received += chunk.length;
			onChunk(name, chunk);
		});
	}
	let status = '';
	const statusPipe = reportsStatus(options.argv) ? (child.stdio[statusDescriptor] as Readable) : undefined;
	statusPipe?.on('error', () => {});
	statusPipe?.on('data', (chunk: Buffer) => {
		if (status.length < 4096) status += chunk.toString('latin1');
	});
	child.stdin?.on('error', () => {}); // EPIPE: the child need not read what it was given
	child.stdin?.end(options.stdin);

	const closesWithin = async (milliseconds: number): Promise<boolean> => {
		const done = new AbortController();
		const timer = sleep(milliseconds, false, { signal: done.signal }).catch(() => false);
		const isClosed = await Promise.race([closed.then(() => true), timer]);
		done.abort();
		return isClosed;
	};
	return {
		pid: child.pid ?? 0,
		exited,
		giveUp() {
			giveUpTimer ??= setTimeout(() => resolve({ exitCode: null, signalName: null }), giveUpAfterMs);
		},
		async drained(sweep) {
			if (await closesWithin(quietMs)) return;
			await sweep();
			const until = performance.now() + drainPatienceMs;
			for (let before = -1; received !== before && performance.now() < until; ) {
				before = received;
				if (await closesWithin(quietMs)) return;
				await nextTurn(); // a blocked event loop fires the timer before it reads: let it read once
			}
		},
		sandboxStarted: () => (statusPipe === undefined ? null : hasStarted(status)),
		release() {
			clearTimeout(giveUpTimer);
			statusPipe?.destroy();
			child.stdin?.destroy();
			child.stdout?.destroy();
			child.stderr?.destroy();
			child.unref();
		},
	};
}

function spawnDetached(options: RunOptions): ChildProcess {
	const [program = '', ...args] = options.argv;
	const stdio: (IOType | number | undefined)[] = [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
	if (reportsStatus(options.argv)) stdio[statusDescriptor] = 'pipe';
	const leaks = inheritedDescriptors().filter((descriptor) => stdio[descriptor] === undefined);
	const nowhere = leaks.length === 0 ? undefined : openSync('/dev/null', 'r+');
	for (const descriptor of leaks) stdio[descriptor] = nowhere;
	try {
		return spawn(program, args, {
			cwd: options.cwd,
			env: options.runMarker === undefined ? options.env : { ...options.env, [runMarkerVariable]: options.runMarker },
			stdio: Array.from(stdio, (target) => target ?? 'ignore'),
			detached: process.platform !== 'win32',
			windowsHide: true,
		});
	} finally {
		if (nowhere !== undefined) closeSync(nowhere);
	}
}

/** Node reports a missing folder as a missing program: look which it was. */
async function startFailure(options: RunOptions, cause: unknown): Promise<KapsoError> {
	const [program = ''] = options.argv;
	const code = (cause as NodeJS.ErrnoException).code;
	const isFolder = await stat(options.cwd).then(
		(found) => found.isDirectory(),
		() => false,
	);
	const data = { program, cwd: options.cwd, errno: code ?? null };
	if (code === 'ENOENT' && isFolder) {
		return new KapsoError({
			code: 'PROGRAM_NOT_FOUND',
			category: 'infrastructure',
			message: program.includes('/')
				? `The program "${program}" or the interpreter that it names does not exist.`
				: `The program "${program}" was not found on PATH ${options.env.PATH ?? '(not set)'}.`,
			hint: 'Nothing was run. Install the program or correct its name in the command, then try again.',
			data,
			cause,
		});
	}
	return new KapsoError({
		code: 'SPAWN_FAILED',
		category: 'infrastructure',
		message: `"${program}" could not be started in ${options.cwd}: ${isFolder ? (cause as Error).message : 'the folder does not exist'}.`,
		hint: 'Nothing was run. Check that the folder exists and that the program may be executed.',
		data,
		cause,
	});
}
