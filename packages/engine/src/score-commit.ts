import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder, KapsoError, stateFolder, suiteFolder } from '@kapso-evolve/contracts';
import { removeTree } from '@kapso-evolve/durable-fs';
import { type EvaluationRecord, evaluate } from '@kapso-evolve/eval-integrity';
import { type Campaign, isEngineScored } from './campaign.ts';

/** Folders of a candidate that no phase of an evaluation ever sees (CONTRACTS 1). */
const hiddenFolders = new Set([suiteFolder, dataFolder, stateFolder, '.git']);
export const isHiddenFromEvaluation = (path: string): boolean => hiddenFolders.has(path.split('/', 1)[0]!);

/** Scores exactly this commit: its blobs in a plain folder, the caller's suite, nothing else. */
export async function scoreCommit(
	campaign: Campaign,
	commit: string,
	verified: { readonly stripped: readonly string[]; readonly notProven: readonly string[] },
): Promise<EvaluationRecord> {
	return await scoreFolder(campaign, verified, (to) =>
		campaign.workspace.materializeTree(commit, { to, exclude: isHiddenFromEvaluation }),
	);
}

/** The same for files that come from elsewhere: `write` puts the candidate into an empty folder. */
export async function scoreFolder(
	campaign: Pick<
		Campaign,
		'stateFolder' | 'suite' | 'data' | 'level' | 'sandbox' | 'surroundings' | 'scoring' | 'programHashes'
	>,
	verified: { readonly stripped: readonly string[]; readonly notProven: readonly string[] },
	write: (to: string) => Promise<void>,
): Promise<EvaluationRecord> {
	const { suite, level, surroundings } = campaign;
	if (suite === null || !isEngineScored(level)) throw new TypeError(`nothing to run at level ${level}`);
	await mkdir(join(campaign.stateFolder, 'scoring'), { recursive: true });
	const scratch = await mkdtemp(join(campaign.stateFolder, 'scoring', 'run-'));
	try {
		const candidateFolder = join(scratch, 'candidate');
		const workFolder = join(scratch, 'work');
		await mkdir(candidateFolder);
		await mkdir(workFolder);
		await write(candidateFolder);
		const run = () =>
			evaluate({
				suite,
				data: campaign.data,
				level,
				sandbox: campaign.sandbox,
				candidateFolder,
				workFolder,
				path: surroundings.path,
				nodeProgram: surroundings.nodeProgram,
				environment: surroundings.environment,
				programHashes: campaign.programHashes,
				stripped: verified.stripped,
				notProven: verified.notProven,
				signal: surroundings.signal,
			});
		return await campaign.scoring.run(run);
	} finally {
		await removeTree(scratch);
	}
}

/** Sandbox, disk or interpreter failed: nobody's score. The campaign pauses before the candidate is recorded. */
export function refuseInfrastructure(record: EvaluationRecord): void {
	if (record.outcome !== 'infrastructure') return;
	throw new KapsoError({
		code: record.code ?? 'EVALUATION_INFRASTRUCTURE',
		category: 'infrastructure',
		message: `the evaluation could not run: ${record.error ?? record.code}`,
		hint: 'the candidate is kept and not judged; remove the cause and resume the campaign',
		data: { phases: record.phases.map(({ phase, status, exitCode }) => ({ phase, status, exitCode })) },
	});
}
