import { dirname } from 'node:path';
import { type SearchNode, searchNodeSchema } from '@kapso-evolve/contracts';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { type EvaluateIterationOptions, type ExternalEvaluation, evaluateIteration } from '../src/index.ts';

export const environment = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };

export const node: SearchNode = searchNodeSchema.parse({
	nodeId: 4,
	parentNodeId: 2,
	iteration: 5,
	branchName: 'generic_exp_4',
	parentBranchName: 'generic_exp_2',
	commit: 'a'.repeat(40),
	parentCommit: 'b'.repeat(40),
	outcome: 'scored',
	score: 0.5,
	evaluationMetrics: { accuracy: 0.5 },
});

export const context: EvaluateIterationOptions['context'] = {
	iteration: 5,
	goal: 'route faster',
	gitRef: 'generic_exp_4',
	parentRef: 'generic_exp_2',
	commit: 'a'.repeat(40),
	parentCommit: 'b'.repeat(40),
	node,
	idempotencyKey: 'campaign-1:4:1',
};

/** A working tree that is there only while it is used. */
export async function withWorktree<T>(use: (folder: string) => Promise<T>): Promise<T> {
	await using folder = await temporaryFolder();
	await writeFiles(folder.path, { 'candidate.txt': 'exactly this' });
	return await use(folder.path);
}

/** One call under `record`, with what a test wants otherwise. */
export function evaluate(
	options: Partial<EvaluateIterationOptions> & Pick<EvaluateIterationOptions, 'evaluator'>,
): Promise<ExternalEvaluation> {
	return evaluateIteration({ policy: 'record', context, withWorktree, deadlineMs: 20_000, ...options });
}
