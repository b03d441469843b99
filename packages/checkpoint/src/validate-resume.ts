import { sha256, stateFolder } from '@kapso-evolve/contracts';
import { type Mismatch, RunCheckpointCompletedError, RunCheckpointIncompatibleError } from './errors.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { RunState } from './run-state.ts';

/**
 * May this run continue that campaign? Pure, and meant to be asked before anything is touched. Throws
 * `RunCheckpointCompletedError`, or one `RunCheckpointIncompatibleError` with every difference in it.
 */
export function validateResume(
	state: RunState,
	run: { readonly goal: string; readonly strategyType: string; readonly fingerprint: Fingerprint },
): void {
	if (state.status === 'completed') {
		throw new RunCheckpointCompletedError({ completedIterations: state.completedIterations });
	}
	const mismatches = findMismatches(state, run);
	if (mismatches.length === 0) return;
	throw new RunCheckpointIncompatibleError({
		message: `The campaign was started with other settings than this run asks for: ${mismatches.map(describe).join('; ')}.`,
		hint: `Nothing was changed. ${howToAgree(mismatches)} Or start a campaign in a new folder.`,
		mismatches,
	});
}

/** Settings can be asked for; files that have changed must be put back. The evaluation is in one of those files. */
function howToAgree(mismatches: readonly Mismatch[]): string {
	const areFilesChanged = mismatches.some(isChangedFiles);
	const settings = mismatches
		.filter((mismatch) => !isChangedFiles(mismatch) && !(areFilesChanged && mismatch.key === 'evaluation'))
		.map(({ key }) => key);
	const said: string[] = [];
	if (areFilesChanged) {
		said.push(
			`The files are no longer those of the start: put them back (the campaign's copy is in DIR/${stateFolder}/).`,
		);
	}
	if (settings.length > 0) {
		said.push(
			`Ask for the recorded ${settings.join(', ')}: "kapso-evolve resume DIR" takes all settings from the campaign.`,
		);
	}
	return said.join(' ');
}

/** Both have a suite (or data), of other bytes; one that has none was asked for without it. */
function isChangedFiles({ key, recorded, requested }: Mismatch): boolean {
	const isDigest = key === 'suite_digest' || key === 'data_digest';
	return isDigest && ![recorded, requested].some((value) => value === null || value === 'null');
}

function findMismatches(
	state: RunState,
	{ goal, strategyType, fingerprint }: { goal: string; strategyType: string; fingerprint: Fingerprint },
): Mismatch[] {
	const mismatches: Mismatch[] = [];
	const compare = (key: string, recorded: string | null, requested: string | null) => {
		if (recorded !== requested && !mismatches.some((other) => other.key === key))
			mismatches.push({ key, recorded, requested });
	};
	if (state.goalHash !== sha256(goal)) compare('goal', state.goal, goal);
	compare('strategy_type', state.strategyType, strategyType);
	for (const key of new Set([...Object.keys(state.fingerprintParts), ...Object.keys(fingerprint.parts)])) {
		compare(key, state.fingerprintParts[key] ?? null, fingerprint.parts[key] ?? null);
	}
	if (mismatches.length === 0) compare('config_fingerprint', state.configFingerprint, fingerprint.digest);
	return mismatches;
}

function describe({ key, recorded, requested }: Mismatch): string {
	return `${key} (recorded ${shorten(recorded)}, requested ${shorten(requested)})`;
}

function shorten(text: string | null): string {
	if (text === null) return 'none';
	return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}
