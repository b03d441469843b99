import { KapsoError } from '@kapso-evolve/contracts';
import { writeFileDurable } from '@kapso-evolve/durable-fs';
import { findNonJson } from './json-data.ts';
import { describeIssue, parseRunState, readStateFile } from './load-run-state.ts';
import { type RunState, runStateSchema } from './run-state.ts';
import { encodeRunState, readOwner, type StateOwner } from './run-state-file.ts';

/**
 * Replaces the state atomically and durably; any failure leaves the old one readable. Throws `RUN_STATE_INVALID` (usage)
 * for a state that `loadRunState` would refuse, what `loadRunState` throws when the file that is there cannot be read
 * (it is evidence and is never written over), and `RUN_STATE_STALE` (locked) when a later or another campaign's is there.
 */
export async function saveRunState(path: string, state: RunState): Promise<void> {
	await createRunStateSaver(path)(state);
}

/**
 * The same for one holder of the campaign's lock that saves many times: what is there is read before the first save only.
 * A later state that a power cut takes back is behind and no more: what it says stands in the ledger, synced before.
 */
export function createRunStateSaver(path: string): (state: RunState) => Promise<void> {
	let hasSaved = false;
	return async (state) => {
		refuseInvalid(path, state);
		const owner = hasSaved ? null : await findOwner(path);
		if (owner !== null) refuseStale({ path, owner, state });
		await writeFileDurable(path, encodeRunState(state), { mode: 0o600, syncName: !hasSaved });
		hasSaved = true;
	};
}

function refuseInvalid(path: string, state: RunState): void {
	const parsed = runStateSchema.safeParse(state);
	const problem = parsed.success
		? findNonJson(state.strategyState, 'strategy_state')
		: parsed.error.issues.map(describeIssue).join('; ');
	if (problem !== null) throw invalidState(path, problem);
}

async function findOwner(path: string): Promise<StateOwner | null> {
	const bytes = await readStateFile(path);
	return bytes && (readOwner(bytes) ?? parseRunState(bytes, path));
}

function refuseStale({ path, owner, state }: { path: string; owner: StateOwner; state: RunState }): void {
	if (owner.campaignId === state.campaignId && owner.generation <= state.generation) return;
	throw new KapsoError({
		code: 'RUN_STATE_STALE',
		category: 'locked',
		message: `${path} holds generation ${owner.generation} of campaign ${owner.campaignId}; generation ${state.generation} of campaign ${state.campaignId} was not written over it.`,
		hint: 'Another process has continued here. Nothing was changed: stop this one, then look with "kapso-evolve status DIR".',
		data: {
			path,
			recorded: { campaignId: owner.campaignId, generation: owner.generation },
			requested: { campaignId: state.campaignId, generation: state.generation },
		},
	});
}

function invalidState(path: string, problem: string): KapsoError {
	return new KapsoError({
		code: 'RUN_STATE_INVALID',
		category: 'usage',
		message: `This state cannot be saved to ${path}: ${problem}.`,
		hint: 'The state that was there is unchanged.',
		data: { path, problem },
	});
}
