import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedProgram } from './scripted-program.ts';

/** What a scripted agent does in one attempt, in this order. */
export interface ScriptedAttempt {
	/** Asks `KAPSO_TRY` so many times; the answers stand in the call's record. */
	readonly tries?: number;
	/** Text by path in the clone; null removes the file. */
	readonly files?: Readonly<Record<string, string | null>>;
	/** Printed on stdout; `NONCE` becomes the nonce of the attempt. */
	readonly says?: string;
	/** Fields of the report beside version and nonce; a summary is made up. Null: no report. */
	readonly report?: Readonly<Record<string, unknown>> | null;
	/** After the report: waits until it is ended. */
	readonly hangs?: boolean;
	readonly exitCode?: number;
}

/** One attempt as the agent saw it. */
export interface ScriptedCall {
	readonly prompt: string;
	readonly folder: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly tries: readonly { readonly exitCode: number | null; readonly answer: unknown }[];
}

export interface ScriptedAgent {
	/** For `createCommandAgent`, or for the flag of a command-line program. */
	readonly command: readonly string[];
	/** The attempts so far, in the order in which they began. */
	calls(): Promise<ScriptedCall[]>;
}

/**
 * Writes an agent for tests into an empty folder outside every clone: a real program that does what was scripted for
 * its first, second, … attempt, records each, and fails loudly (exit 70) when there is one more than was scripted.
 */
export async function writeScriptedAgent(options: {
	readonly folder: string;
	/** Absolute path of the Node executable. */
	readonly nodeProgram: string;
	readonly attempts: readonly ScriptedAttempt[];
}): Promise<ScriptedAgent> {
	const { folder, nodeProgram, attempts } = options;
	const program = join(folder, 'scripted-agent.mjs');
	const calls = join(folder, 'calls');
	await mkdir(calls, { recursive: true });
	await writeFile(join(folder, 'attempts.json'), JSON.stringify(attempts));
	await writeFile(program, scriptedProgram);
	return {
		command: [nodeProgram, program],
		async calls() {
			const names = (await readdir(calls)).filter((name) => name.endsWith('.json')).sort();
			return Promise.all(
				names.map(async (name) => JSON.parse(await readFile(join(calls, name), 'utf8')) as ScriptedCall),
			);
		},
	};
}
