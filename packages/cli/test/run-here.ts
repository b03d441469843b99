import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { gitEnvironment } from '@kapso-evolve/testkit';
import { run } from '../src/main.ts';
import type { Output, Terminal } from '../src/terminal.ts';

/** The program in this process, with its terminal recorded: for everything that needs no process of its own. */
export async function runHere(
	args: readonly string[],
	o: { readonly folder: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<{ code: number; stdout: string; stderr: string }> {
	const written = { stdout: '', stderr: '' };
	const output = (name: 'stdout' | 'stderr'): Output => ({
		isTerminal: false,
		columns: () => 80,
		drained: async () => {},
		stream: new Writable() as NodeJS.WriteStream,
		write(text) {
			written[name] += stripVTControlCharacters(text);
		},
	});
	const terminal: Terminal = {
		stdout: output('stdout'),
		stderr: output('stderr'),
		workingFolder: o.folder,
		environment: { ...gitEnvironment({ HOME: o.folder, XDG_STATE_HOME: `${o.folder}/state` }), ...o.environment },
	};
	const code = await run(terminal, args);
	return { code, ...written };
}
