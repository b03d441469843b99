import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { writeFiles } from '@kapso-evolve/testkit';
import type { Scenario } from './scenario.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface Axe {
	/** A step of `count-steps.ts`, e.g. `before rename run_state.json#2`. */
	readonly step?: string;
	/** Milliseconds after the start. */
	readonly afterMs?: number;
	/** File that every step is written to. */
	readonly trace?: string;
}

export interface Ended {
	readonly exitCode: number | null;
	readonly killed: boolean;
	readonly stdout: string;
	readonly stderr: string;
}

const longestMs = 120_000;

/**
 * Starts or resumes the scenario's campaign; with an axe, until it falls. Only the engine's own process is killed, as
 * the kernel's memory killer or a person would: what becomes of its children is what is being tested.
 */
export async function start(scenario: Scenario, how: 'start' | 'resume', axe: Axe = {}): Promise<Ended> {
	const options = how === 'start' ? scenario.options : { resume: true, outputPath: scenario.output };
	await writeFiles(scenario.folder, { 'options.json': JSON.stringify(options) });
	const args = ['--import', file('./count-steps.ts'), file('./campaign.ts'), join(scenario.folder, 'options.json')];
	const env = { PATH: process.env.PATH ?? '', KILL_STEP: axe.step ?? '', KILL_TRACE: axe.trace ?? '' };
	const child = spawn(process.execPath, args, { cwd: scenario.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
	const timer = setTimeout(() => child.kill('SIGKILL'), axe.afterMs ?? longestMs);
	const [stdout, stderr, [exitCode, signal]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
	]);
	clearTimeout(timer);
	return { exitCode, killed: signal === 'SIGKILL', stdout, stderr };
}
