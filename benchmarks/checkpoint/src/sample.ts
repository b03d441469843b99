import { type SearchNode, searchNodeSchema, sha256 } from '@kapso-evolve/contracts';

const commitOf = (id: number) => sha256(`commit ${id}`).slice(0, 40);

/** A candidate with what a real one carries: about two kilobytes in a file. */
export function sampleNode(id: number): SearchNode {
	const parent = id === 0 ? null : id - 1;
	return searchNodeSchema.parse({
		nodeId: id,
		parentNodeId: parent,
		iteration: id + 1,
		branchName: `generic_exp_${id}`,
		parentBranchName: parent === null ? 'main' : `generic_exp_${parent}`,
		commit: commitOf(id),
		codeCommit: commitOf(id),
		parentCommit: parent === null ? '0'.repeat(40) : commitOf(parent),
		treeSha256: sha256(`tree ${id}`),
		agent: 'gi',
		solution: `Candidate ${id}: ${'a sentence about what was changed and why it should help. '.repeat(5)}`,
		outcome: 'scored',
		score: id / 7,
		scoreSource: 'engine',
		evaluationMetrics: { accuracy: id / 9, p95_ms: 12.5 },
		feedback: `Score ${id / 7}, better than the parent's.`,
		evaluationProvenance: 'provided',
		evaluationLevel: 'sealed',
		isolation: 'os',
		candidateIsolated: true,
		notProven: ['visible-suite', 'single-measurement', 'evaluation-awareness', 'suite-quality', 'repeated-selection'],
		costUsd: 0.25,
		durationMs: 61_234,
		startedAt: '2030-01-01T00:00:00.000Z',
		records: { transcript: sha256('a'), report: sha256('b'), diff: sha256(`c${id}`), evaluation: sha256(`d${id}`) },
	});
}
