import { KapsoError } from '@kapso-evolve/contracts';
import { writeFileDurable } from '@kapso-evolve/durable-fs';
import { findNonJson } from './json-data.ts';
import { describeIssue, loadRunState } from './load-run-state.ts';
import { type RunState, runStateSchema } from './run-state.ts';
import { encodeRunState } from './run-state-file.ts';

/**
 * Replaces the state atomically and durably; any failure leaves the old one readable. Throws `RUN_STATE_INVALID` (usage)
 * for a state that `loadRunState` would refuse, what `loadRunState` throws when the file that is there cannot be read
 * (it is evidence and is never written over), and `RUN_STATE_STALE` (locked) when a later or another campaign's is there.
 */
export async function saveRunState(path: string, state: RunState): Promise<void> {
	const parsed = runStateSchema.safeParse(state);
	const problem = parsed.success
		? findNonJson(state.strategyState, 'strategy_state')
		: parsed.error.issues.map(describeIssue).join('; ');
	if (problem !== null) throw invalidState(path, problem);
	refuseStale(path, await loadExisting(path), state);
	await writeFileDurable(path, encodeRunState(state), { mode: 0o600 });
}

async function loadExisting(path: string): Promise<RunState | null> {
	try {
		return await loadRunState(path);
	} catch (thrown) {
		if (KapsoError.isInstance(thrown) && thrown.code === 'RUN_CHECKPOINT_MISSING') return null;
		throw thrown;
	}
}

function refuseStale(path: string, there: RunState | null, next: RunState): void {
	if (there === null) return;
	if (there.campaignId === next.campaignId && there.generation <= next.generation) return;
	throw new KapsoError({
		code: 'RUN_STATE_STALE',
		category: 'locked',
		message: `${path} holds generation ${there.generation} of campaign ${there.campaignId}; generation ${next.generation} of campaign ${next.campaignId} was not written over it.`,
		hint: 'Another process has continued here. Nothing was changed: stop this one, then look with "kapso-evolve status DIR".',
		data: {
			path,
			recorded: { campaignId: there.campaignId, generation: there.generation },
			requested: { campaignId: next.campaignId, generation: next.generation },
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
