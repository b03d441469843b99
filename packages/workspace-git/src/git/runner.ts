import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { KapsoError } from '@kapso-evolve/contracts';
import {
	hardenedArguments,
	hardenedEnvironment,
	userTransportArguments,
	userTransportEnvironment,
} from './environment.ts';
import { checkVocabulary } from './vocabulary.ts';

export interface GitCall {
	readonly gitDir?: string;
	readonly workTree?: string;
	readonly indexFile?: string;
	readonly stdin?: string | Uint8Array;
	/** A file that becomes stdin without passing through our memory. */
	readonly stdinFile?: string;
	/** Reach the disk before reporting success (campaign repository: yes; scratch: no). Default true. */
	readonly durable?: boolean;
	/** Why the files that this call writes over are the engine's; required by the verbs that can. */
	readonly mayOverwrite?: string;
	/** Run with the user's own environment and settings: only for reading a seed. */
	readonly asUser?: boolean;
	/** Check every object that a fetch brings; default true. False only for objects of the user's or our own. */
	readonly fsck?: boolean;
	/** Author and committer date, seconds since 1970. */
	readonly date?: number;
	readonly deadlineMs?: number;
	readonly maxOutputBytes?: number;
	readonly signal?: AbortSignal;
}

export interface GitAnswer {
	readonly exitCode: number;
	readonly stdout: Buffer;
	readonly stderr: string;
	/** stdout went past `maxOutputBytes`; what was kept is its beginning. */
	readonly truncated: boolean;
}

/** Runs git, hardened, by argv. A non-zero exit is an answer; not being able to run git is an error. */
export interface GitRunner {
	/** Absolute working directory of every call, which no repository surrounds by accident: git dirs are explicit. */
	readonly folder: string;
	readonly program: string;
	run(argv: readonly string[], call?: GitCall): Promise<GitAnswer>;
	/** As `run`, for calls that must succeed: `GIT_FAILED` carries what git said. */
	ok(argv: readonly string[], call?: GitCall): Promise<Buffer>;
	/** The first line of `ok`, trimmed. */
	line(argv: readonly string[], call?: GitCall): Promise<string>;
	/** Full argv and environment of a call, for a process that lives longer than one. */
	command(argv: readonly string[], call?: GitCall): { argv: string[]; env: Record<string, string> };
}

const tenMinutes = 600_000;
const graceMs = 5_000;
const defaultMaxOutput = 512 * 1024 * 1024;

export function createGitRunner(options: {
	readonly program: string;
	readonly folder: string;
	readonly globalConfig: string;
	readonly userEnvironment: Readonly<Record<string, string>>;
}): GitRunner {
	const path = options.userEnvironment.PATH ?? '/usr/bin:/bin';
	const command: GitRunner['command'] = (argv, call = {}) => {
		checkVocabulary(argv, call.mayOverwrite);
		const env = call.asUser
			? userTransportEnvironment(options.userEnvironment)
			: hardenedEnvironment(path, options.globalConfig);
		if (call.indexFile !== undefined) env.GIT_INDEX_FILE = call.indexFile;
		if (call.date !== undefined) env.GIT_AUTHOR_DATE = env.GIT_COMMITTER_DATE = `@${call.date} +0000`;
		return {
			argv: [
				options.program,
				...(call.asUser
					? userTransportArguments
					: hardenedArguments({ durable: call.durable ?? true, fsck: call.fsck ?? true })),
				...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
				...(call.workTree === undefined ? [] : ['-c', 'core.bare=false', `--work-tree=${call.workTree}`]),
				...argv,
			],
			env,
		};
	};
	const run: GitRunner['run'] = async (argv, call = {}) => {
		call.signal?.throwIfAborted();
		const file = call.stdinFile === undefined ? null : await open(call.stdinFile, 'r');
		try {
			const cwd = call.workTree ?? options.folder;
			return await start({ ...command(argv, call), cwd, call, stdinFd: file?.fd ?? null });
		} finally {
			await file?.close();
		}
	};
	const ok: GitRunner['ok'] = async (argv, call) => {
		const answer = await run(argv, call);
		if (answer.exitCode === 0 && !answer.truncated) return answer.stdout;
		throw gitFailed(argv, answer);
	};
	return {
		folder: options.folder,
		program: options.program,
		run,
		ok,
		line: async (argv, call) => (await ok(argv, call)).toString('utf8').split('\n', 1)[0]!.trim(),
		command,
	};
}

export function gitFailed(argv: readonly string[], answer: GitAnswer): KapsoError {
	return new KapsoError({
		code: 'GIT_FAILED',
		category: 'infrastructure',
		message: `git ${argv[0]} ended with ${answer.exitCode}: ${answer.stderr.trim().slice(-2000) || 'no message'}`,
		hint: 'Nothing was lost: the engine only adds to a repository. Fix what git names and run again.',
		data: { argv: argv.slice(0, 20), exitCode: answer.exitCode, truncated: answer.truncated },
	});
}

function start(o: {
	argv: string[];
	env: Record<string, string>;
	cwd: string;
	call: GitCall;
	stdinFd: number | null;
}): Promise<GitAnswer> {
	const { call } = o;
	const limit = call.maxOutputBytes ?? defaultMaxOutput;
	return new Promise((resolve, reject) => {
		const child = spawn(o.argv[0]!, o.argv.slice(1), {
			cwd: o.cwd,
			env: o.env,
			// A group of its own: Ctrl-C in a terminal must not kill git in the middle of a switch.
			detached: true,
			stdio: [o.stdinFd ?? (call.stdin === undefined ? 'ignore' : 'pipe'), 'pipe', 'pipe'],
		});
		const stdout: Buffer[] = [];
		let kept = 0;
		let truncated = false;
		let stderr = '';
		let stopped: 'deadline' | 'abort' | null = null;
		let killer: NodeJS.Timeout | undefined;
		const signalGroup = (name: 'SIGTERM' | 'SIGKILL') => {
			try {
				process.kill(-child.pid!, name);
			} catch (error) {
				// ESRCH: it ended by itself in the meantime.
				if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
			}
		};
		// SIGTERM first: git then removes its own lock files, which SIGKILL would strand.
		const stop = (why: 'deadline' | 'abort') => {
			if (stopped !== null || child.pid === undefined) return;
			stopped = why;
			signalGroup('SIGTERM');
			killer = setTimeout(() => signalGroup('SIGKILL'), graceMs);
		};
		const timer = setTimeout(() => stop('deadline'), call.deadlineMs ?? tenMinutes);
		const onAbort = () => stop('abort');
		call.signal?.addEventListener('abort', onAbort, { once: true });
		const settle = () => {
			clearTimeout(timer);
			clearTimeout(killer);
			call.signal?.removeEventListener('abort', onAbort);
		};
		child.stdout!.on('data', (chunk: Buffer) => {
			if (kept >= limit) truncated ||= chunk.length > 0;
			else {
				const part = chunk.subarray(0, limit - kept);
				truncated ||= part.length < chunk.length;
				stdout.push(part);
				kept += part.length;
			}
		});
		child.stderr!.setEncoding('utf8').on('data', (text: string) => {
			stderr = (stderr + text).slice(-65_536);
		});
		child.on('error', (cause) => {
			settle();
			reject(
				new KapsoError({
					code: 'GIT_MISSING',
					category: 'infrastructure',
					message: `could not start ${o.argv[0]}: ${cause.message}`,
					hint: 'Install git 2.38 or newer and make sure that it is on PATH.',
					cause,
				}),
			);
		});
		child.on('close', (code, signalName) => {
			settle();
			if (stopped === 'abort') reject(call.signal!.reason);
			else if (stopped === 'deadline')
				reject(
					new KapsoError({
						code: 'GIT_TIMED_OUT',
						category: 'infrastructure',
						message: `git was still running after ${(call.deadlineMs ?? tenMinutes) / 1000} s and was stopped`,
						hint: 'Nothing was lost. Look for a slow disk or network, then run again.',
					}),
				);
			else
				resolve({
					exitCode: code ?? 128,
					stdout: Buffer.concat(stdout),
					stderr: stderr || (signalName === null ? '' : `killed by ${signalName}`),
					truncated,
				});
		});
		// A child that ends before reading all of its input closes the pipe: its exit code says what happened.
		child.stdin?.on('error', () => {});
		child.stdin?.end(call.stdin);
	});
}
