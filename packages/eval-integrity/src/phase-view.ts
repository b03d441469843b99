import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './scratch.ts';

/** A folder or file of this machine and how a phase's process calls it. */
export interface Place {
	readonly name: PlaceName;
	readonly host: string;
	readonly inside: string;
}

/** What one phase may see. */
export interface PhaseView {
	readonly cwd: Place;
	readonly readOnly: readonly Place[];
	readonly writable: readonly Place[];
	/** The `KAPSO_…` variables of the phase. */
	readonly variables: Readonly<Record<string, string>>;
}

/** Names of places; a sandbox shows them under `/kapso`, unrelated to any path of the machine. */
export type PlaceName =
	| 'suite'
	| 'candidate'
	| 'data'
	| 'inputs'
	| 'outputs'
	| 'result'
	| 'home'
	| 'temporary'
	| 'report.json';

/** Puts folders before a phase: as mounts in a sandbox, as throw-away copies without one. */
export interface Stage {
	/** What the phase may read but not change. */
	show(name: PlaceName, host: string): Promise<Place>;
	/** A fresh empty folder that the phase may write to. */
	fresh(name: PlaceName): Promise<Place>;
	/** A folder that is there already and that the phase may write to. */
	hand(name: PlaceName, host: string): Place;
}

export function createStage(options: { readonly folder: string; readonly sandboxed: boolean }): Stage {
	const { folder, sandboxed } = options;
	const place = (name: PlaceName, host: string): Place => ({ name, host, inside: sandboxed ? `/kapso/${name}` : host });
	return {
		async show(name, host) {
			if (sandboxed) return place(name, host);
			const copy = join(folder, 'shown', name);
			await makeFolder(join(folder, 'shown'));
			await cp(host, copy, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
			return place(name, copy);
		},
		async fresh(name) {
			const host = join(folder, name);
			await makeFolder(host);
			return place(name, host);
		},
		hand: place,
	};
}
