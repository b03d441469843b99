import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gitEnvironment } from '@kapso-evolve/testkit';

const program = fileURLToPath(new URL('../bin/kapso-evolve.js', import.meta.url));

export interface Ended {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface StartOptions {
	readonly folder: string;
	readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the built program as a user would: another process, nothing inherited but PATH and a home of its own. */
export function startBinary(args: readonly string[], o: StartOptions): { child: ChildProcess; ended: Promise<Ended> } {
	const child = spawn(process.execPath, [program, ...args], {
		cwd: o.folder,
		env: { ...gitEnvironment({ HOME: o.folder, XDG_STATE_HOME: `${o.folder}/state` }), ...o.environment },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let stdout = '';
	let stderr = '';
	child.stdout!.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr!.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	const ended = new Promise<Ended>((resolve, reject) => {
		child.on('error', reject);
		child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
	});
	return { child, ended };
}

export function runBinary(args: readonly string[], o: StartOptions): Promise<Ended> {
	return startBinary(args, o).ended;
}

/** Resolves once stderr has shown this text. */
export function seen(child: ChildProcess, text: string): Promise<void> {
	let so = '';
	return new Promise((resolve, reject) => {
		child.stderr!.on('data', (part: string) => {
			so += part;
			if (so.includes(text)) resolve();
		});
		child.on('close', () => reject(new Error(`ended without ${JSON.stringify(text)}; stderr was:\n${so}`)));
	});
}
