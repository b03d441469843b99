import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchNode } from '@kapso-evolve/contracts';
import { removeTree } from '@kapso-evolve/durable-fs';
import { chooseLevel, type DataSnapshot, evaluate, isReproduced } from '@kapso-evolve/eval-integrity';
import { openSandbox } from '@kapso-evolve/process';
import type { RepositoryReader } from '@kapso-evolve/workspace-git';
import { isEngineScored } from '../campaign.ts';
import { isHiddenFromEvaluation } from '../score-commit.ts';
import { surroundingsOf } from '../settings.ts';
import { writeTree } from '../write-tree.ts';
import type { VerificationReport } from './campaign-view.ts';
import type { ReadCampaign } from './read-campaign.ts';

/** Scores a candidate again from the campaign's own snapshots, in a scratch folder, and compares. */
export async function rescore(options: {
	readonly campaign: ReadCampaign;
	readonly repository: RepositoryReader;
	readonly node: SearchNode;
	readonly data: DataSnapshot | null;
	readonly environment: Readonly<Record<string, string | undefined>>;
}): Promise<VerificationReport['problems']> {
	const { campaign, repository, node, data } = options;
	const surroundings = surroundingsOf({ environment: options.environment });
	const sandbox = await openSandbox({ path: surroundings.path });
	const { suite } = campaign;
	const { level } = chooseLevel({ suite, sandbox, requireIsolation: false });
	if (suite === null || !isEngineScored(level) || level !== node.evaluationLevel) {
		return [
			{
				code: 'RESCORE_IMPOSSIBLE',
				message: `candidate ${node.nodeId} was scored ${node.evaluationLevel}, which this machine cannot repeat (${level})`,
			},
		];
	}
	const scratch = await mkdtemp(join(tmpdir(), 'kapso-rescore-'));
	try {
		const candidateFolder = join(scratch, 'candidate');
		const workFolder = join(scratch, 'work');
		await mkdir(candidateFolder);
		await mkdir(workFolder);
		await writeTree({
			tree: repository.candidateTree(node.commit!),
			to: candidateFolder,
			exclude: isHiddenFromEvaluation,
		});
		const { path, nodeProgram, environment } = surroundings;
		const again = await evaluate({
			suite,
			data,
			level,
			sandbox,
			candidateFolder,
			workFolder,
			path,
			nodeProgram,
			environment,
		});
		const noise = suite.evaluation?.noise ?? 0;
		const same = again.score !== null && isReproduced({ first: node.score!, again: again.score, noise });
		if (same) return [];
		const found = again.score === null ? `${again.outcome} ${again.code}` : `the score ${again.score}`;
		return [
			{
				code: 'RESCORE_DIFFERS',
				message: `candidate ${node.nodeId} is recorded with the score ${node.score} and scores ${found} now (noise ${noise})`,
			},
		];
	} finally {
		await removeTree(scratch);
	}
}
