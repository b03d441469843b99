import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

export interface ProgramOptions {
	readonly argv: readonly [string, ...string[]];
	readonly cwd: string;
	/** `always`: its output is ours as it comes; `never`: it is only collected. */
	readonly show?: 'always' | 'never';
	readonly environment?: Readonly<Record<string, string>>;
}

export interface ProgramResult {
	/** Null when a signal ended it or it could not be started. */
	readonly exitCode: number | null;
	/** Both streams in the order in which they came; empty when shown. */
	readonly output: string;
	readonly milliseconds: number;
}

const bin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin');

/** Starts a program of the workspace with the workspace's binaries first on PATH and no Git variables of the caller. */
export function runProgram(options: ProgramOptions): Promise<ProgramResult> {
	const [command, ...args] = options.argv;
	const start = performance.now();
	const shown = options.show === 'always';
	return new Promise((resolve) => {
		const child = spawn(command, args, {
			cwd: options.cwd,
			env: { ...inheritedEnvironment(), ...options.environment },
			stdio: ['ignore', shown ? 'inherit' : 'pipe', shown ? 'inherit' : 'pipe'],
			shell: process.platform === 'win32',
		});
		let output = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream?.setEncoding('utf8').on('data', (text: string) => {
				output += text;
			});
		}
		const finish = (exitCode: number | null): void =>
			resolve({ exitCode, output, milliseconds: Math.round(performance.now() - start) });
		child.on('error', (error) => {
			output += `cannot start ${command}: ${error.message}\n`;
			finish(null);
		});
		child.on('close', finish);
	});
}

function inheritedEnvironment(): Record<string, string | undefined> {
	const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') && name !== 'NODE_PATH');
	return {
		...Object.fromEntries(kept),
		PATH: bin + delimiter + (process.env.PATH ?? ''),
		TURBO_TELEMETRY_DISABLED: '1',
		DO_NOT_TRACK: '1',
	};
}
