import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type CandidateTree, dataFolder, KapsoError, stateFolder, suiteFolder } from '@kapso-evolve/contracts';
import { removeTree } from '@kapso-evolve/durable-fs';
import { type EvaluationRecord, evaluate } from '@kapso-evolve/eval-integrity';
import { type Campaign, isEngineScored } from './campaign.ts';

/** Folders of a candidate that no phase of an evaluation ever sees (CONTRACTS 1). */
const hiddenFolders = new Set([suiteFolder, dataFolder, stateFolder, '.git']);
export const isHiddenFromEvaluation = (path: string): boolean => hiddenFolders.has(path.split('/', 1)[0]!);

/**
 * Scores exactly this commit (or a tree of the workspace's): its blobs in a plain folder, the caller's suite, nothing
 * else. The folder is proven right before the run. `fresh`: it is written from nothing, as a run without a sandbox
 * always gets it, because that one can write.
 */
export async function scoreCommit(
	campaign: Campaign,
	source: string | CandidateTree,
	options: { readonly stripped: readonly string[]; readonly notProven: readonly string[]; readonly fresh?: boolean },
): Promise<EvaluationRecord> {
	const { suite, level, surroundings, workspace } = campaign;
	if (suite === null || !isEngineScored(level)) throw new TypeError(`nothing to run at level ${level}`);
	const fresh = options.fresh === true || level === 'unsealed';
	return await campaign.scoring.run(async () => {
		await mkdir(join(campaign.stateFolder, 'scoring'), { recursive: true });
		const workFolder = await mkdtemp(join(campaign.stateFolder, 'scoring', 'run-'));
		try {
			await using candidate = await workspace.leaseTree(source, { exclude: isHiddenFromEvaluation, fresh });
			return await evaluate({
				suite,
				data: campaign.data,
				level,
				sandbox: campaign.sandbox,
				candidateFolder: candidate.path,
				workFolder,
				path: surroundings.path,
				nodeProgram: surroundings.nodeProgram,
				environment: surroundings.environment,
				programHashes: campaign.programHashes,
				stripped: options.stripped,
				notProven: options.notProven,
				signal: surroundings.signal,
			});
		} finally {
			await removeTree(workFolder);
		}
	});
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
