import { type SearchNode, type SearchNodeInput, searchNodeSchema, sha256 } from '@kapso-evolve/contracts';
import { createFingerprint, type FingerprintSettings, type RunState } from '../src/index.ts';

export const settings: FingerprintSettings = {
	strategy_type: 'generic',
	strategy_params: { parent_policy: 'best' },
	models: { utility: 'some-model' },
	agents: ['gi'],
	evaluation: { version: 1, score: { command: ['node', 'score.mjs'] } },
	evaluation_level: 'sealed',
	suite_digest: sha256('suite'),
	data_digest: null,
	initial_commit: '1'.repeat(40),
	evaluator: null,
	evaluator_failure_policy: 'record',
	selection: { metric: 'score', direction: 'maximize' },
	engine_schema: 1,
};

export function runState(changes: Partial<RunState> = {}): RunState {
	const goal = changes.goal ?? 'Make the heuristic faster – "dōmo"';
	const { digest, parts } = createFingerprint(settings);
	return {
		schemaVersion: 3,
		campaignId: 'campaign-1',
		engineVersion: '0.1.0',
		generation: 0,
		ledgerHead: sha256('campaign-1'),
		status: 'running',
		strategyType: 'generic',
		goal,
		goalHash: sha256(goal),
		configFingerprint: digest,
		fingerprintParts: { ...parts },
		completedIterations: 2,
		cumulativeCost: 1.25,
		costUnknown: false,
		costByComponent: { agent: 1, feedback: 0.25 },
		elapsedSeconds: 61.5,
		currentFeedback: null,
		lastStop: null,
		baselineScore: 0.5,
		strategyState: { parent_policy: 'best', node_history: [{ node_id: 0, tree_sha256: null }] },
		...changes,
	};
}

export function node(nodeId: number, changes: Partial<SearchNodeInput> = {}): SearchNode {
	return searchNodeSchema.parse({
		nodeId,
		parentNodeId: null,
		iteration: nodeId + 1,
		branchName: `generic_exp_${nodeId}`,
		parentBranchName: 'main',
		parentCommit: '1'.repeat(40),
		commit: '2'.repeat(40),
		outcome: 'scored',
		score: 0.5,
		...changes,
	});
}
