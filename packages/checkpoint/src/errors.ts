import { dirname } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';

/** A campaign's checkpoint cannot be used as asked. All of these are `usage`: evidence refused, nothing touched. */
export class RunCheckpointError extends KapsoError {}

/** `RUN_CHECKPOINT_MISSING`: a resume was asked for where no run state is. Never answered by a fresh start. */
export class RunCheckpointMissingError extends RunCheckpointError {
	constructor({ path, pickle }: { readonly path: string; readonly pickle?: string }) {
		const folder = campaignFolder(path);
		super({
			code: 'RUN_CHECKPOINT_MISSING',
			category: 'usage',
			message: `There is no checkpoint at ${path}.`,
			hint:
				pickle === undefined
					? `Nothing was created. Look with "kapso-evolve status ${folder}"; a new campaign starts with "kapso-evolve evolve --output DIR" and no --resume.`
					: `Nothing was created and nothing was opened. The pickle of an older release is there: "kapso-evolve evolve --resume --allow-legacy-checkpoint" with the campaign's goal and settings reads it without executing it.`,
			data: { path },
		});
	}
}

/** `RUN_CHECKPOINT_CORRUPT`: a run state is there and is not what was written. It is never written over. */
export class RunCheckpointCorruptError extends RunCheckpointError {
	constructor({ path, reason, cause }: { readonly path: string; readonly reason: string; readonly cause?: unknown }) {
		super({
			code: 'RUN_CHECKPOINT_CORRUPT',
			category: 'usage',
			message: `Could not read the checkpoint ${path}: ${reason}.`,
			hint: `The file was left as it is, and so were all branches. The ledger beside it may still be whole: check with "kapso-evolve verify ${campaignFolder(path)}".`,
			data: { path, reason },
			cause,
		});
	}
}

/** One setting in which the recorded campaign and the requested run differ. */
export interface Mismatch {
	readonly key: string;
	readonly recorded: string | null;
	readonly requested: string | null;
}

/**
 * `RUN_CHECKPOINT_INCOMPATIBLE`: the checkpoint is sound and belongs to another run, or to another version of the
 * format. `data.mismatches` names every difference.
 */
export class RunCheckpointIncompatibleError extends RunCheckpointError {
	readonly mismatches: readonly Mismatch[];

	constructor({
		message,
		hint,
		mismatches,
	}: {
		readonly message: string;
		readonly hint: string;
		readonly mismatches: readonly Mismatch[];
	}) {
		super({ code: 'RUN_CHECKPOINT_INCOMPATIBLE', category: 'usage', message, hint, data: { mismatches } });
		this.mismatches = mismatches;
	}
}

/** `RUN_CHECKPOINT_COMPLETED`: the goal was reached; a completed campaign does not continue (milestone 3). */
export class RunCheckpointCompletedError extends RunCheckpointError {
	constructor({ completedIterations }: { readonly completedIterations: number }) {
		super({
			code: 'RUN_CHECKPOINT_COMPLETED',
			category: 'usage',
			message: `The campaign is already completed, after ${completedIterations} iterations.`,
			hint: 'Its result is kept: see "kapso-evolve status DIR". To go on from it, start a campaign in a new folder with --initial-repo DIR.',
			data: { completedIterations },
		});
	}
}

/** `.kapso/run_state.json` belongs to the folder above `.kapso`. */
function campaignFolder(path: string): string {
	return dirname(dirname(path));
}
