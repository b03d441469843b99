import { KapsoError } from '@kapso-evolve/contracts';

/** Where in the bytes something was found that no checkpoint of the Python releases contains. */
export interface PicklePlace {
	readonly offset: number;
	/** `0x63 GLOBAL`, or null when the bytes end there. */
	readonly opcode: string | null;
	readonly reason: string;
}

/** `LEGACY_CHECKPOINT_REFUSED` (usage): the file is not one of the closed list of things that are read. */
export function legacyRefused(path: string, place: PicklePlace | { readonly reason: string }): KapsoError {
	const at = 'offset' in place ? ` at byte ${place.offset}${place.opcode === null ? '' : ` (${place.opcode})`}` : '';
	return new KapsoError({
		code: 'LEGACY_CHECKPOINT_REFUSED',
		category: 'usage',
		message: `The legacy checkpoint ${path} was not imported${at}: ${place.reason}.`,
		hint: 'Nothing of it was executed and nothing was changed. The candidates are on their branches: start a campaign in a new folder, with --initial-repo and the branch to go on from.',
		data: { path, ...place },
	});
}
