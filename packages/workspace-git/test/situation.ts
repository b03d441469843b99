import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { currentProcess, type ProcessIdentity } from '@kapso-evolve/process';
import { fakeClock, type TemporaryFolder, temporaryFolder } from '@kapso-evolve/testkit';
import { type OpenWorkspaceOptions, openWorkspace, type Workspace } from '../src/index.ts';

/** A place with a space and a non-ASCII letter in its name: the campaign, its state folder and whatever a test adds. */
export interface Situation extends AsyncDisposable {
	readonly folder: string;
	readonly output: string;
	readonly state: string;
	open(options?: Partial<OpenWorkspaceOptions>): Promise<Workspace>;
	/** A new path for an agent's clone. */
	clone(name?: string): string;
}

/** `template`: a folder whose files (a campaign under `out put ü`, say) the situation starts with. */
export async function situation(template?: string): Promise<Situation> {
	const temporary: TemporaryFolder = await temporaryFolder();
	if (template !== undefined) {
		const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
		for (const name of await readdir(template)) await cp(join(template, name), join(temporary.path, name), options);
	}
	const opened: Workspace[] = [];
	const output = join(temporary.path, 'out put ü');
	const state = join(temporary.path, 'staté');
	return {
		folder: temporary.path,
		output,
		state,
		async open(options = {}) {
			const workspace = await openWorkspace({
				path: output,
				stateFolder: state,
				userEnvironment: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: join(temporary.path, 'home') },
				clock: fakeClock(),
				...options,
			});
			opened.push(workspace);
			return workspace;
		},
		clone: (name = crypto.randomUUID()) => join(state, 'clones', name),
		async [Symbol.asyncDispose]() {
			for (const workspace of opened) await workspace.close();
			await temporary[Symbol.asyncDispose]();
		},
	};
}

/** The identity of a process of this machine that has ended. */
export function deadProcess(): ProcessIdentity {
	const self = currentProcess();
	return { ...self, pid: 4_190_000, startTime: self.startTime.replace(/^\d+/, '1') };
}

export function bytes(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}
