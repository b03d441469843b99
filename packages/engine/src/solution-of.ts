import type { Objective, Outcome, SearchNode } from '@kapso-evolve/contracts';
import { isBetter } from '@kapso-evolve/search';
import { type Campaign, evaluationOf, objectiveOf } from './campaign.ts';
import type { BestCandidate, CandidateCounts, Delivery, SolutionResult } from './result.ts';
import { type Baseline, completedIterations, totalCost } from './state.ts';
import type { Stop } from './steps/should-stop.ts';

/** What `evolve()` answers, from what the ledger says. */
export function solutionOf(
	campaign: Campaign,
	options: {
		readonly stop: Stop;
		readonly best: SearchNode | null;
		readonly delivery: Delivery;
		readonly iterationsBefore: number;
		readonly resumed: boolean;
	},
): SolutionResult {
	const state = campaign.state();
	const { best, stop } = options;
	const objective = objectiveOf(campaign);
	const cumulativeIterations = completedIterations(state);
	return {
		goal: campaign.settings.goal,
		outputPath: campaign.folder,
		objective,
		evaluationLevel: campaign.level,
		isolation: campaign.isolation,
		best: best === null ? null : bestCandidateOf(best),
		baselineScore: state.baseline?.score ?? null,
		improved: isImprovement({ best, baseline: state.baseline, objective, noise: evaluationOf(campaign)?.noise ?? 0 }),
		delivery: options.delivery,
		candidates: countCandidates(state.nodes),
		experimentLogs: state.nodes.map(experimentLog),
		finalFeedback: state.nodes.at(-1)?.feedback ?? null,
		metadata: {
			iterations: cumulativeIterations - options.iterationsBefore,
			cumulativeIterations,
			costUsd: totalCost(state),
			costUnknown: state.costUnknown,
			elapsedSeconds: campaign.elapsedMs() / 1000,
			stoppedReason: stop.reason,
			stopDetail: stop.detail,
			bestBranch: best?.branchName ?? null,
			resumed: options.resumed,
			invalidEvaluations: invalidEvaluations(state.nodes),
			externalMetrics: best?.metrics ?? {},
			externalPrimaryMetric: best?.primaryMetric ?? null,
			ledgerHead: campaign.position().sha256,
		},
	};
}

/** A node that can stand for the campaign: it has a commit, or it would not have been selected. */
export function bestCandidateOf(node: SearchNode): BestCandidate {
	return {
		nodeId: node.nodeId,
		branch: node.branchName,
		commit: node.commit!,
		score: node.score,
		scoreSource: node.scoreSource,
		confirmed: node.confirmation === 'confirmed',
		evaluationLevel: node.evaluationLevel,
		isolation: node.isolation,
		evaluationProvenance: node.evaluationProvenance,
	};
}

const failures = new Set<Outcome>(['crashed', 'timed-out', 'no-change', 'no-report', 'agent-failed', 'infrastructure']);

export function countCandidates(nodes: readonly SearchNode[]): CandidateCounts {
	const count = (is: (node: SearchNode) => boolean) => nodes.filter(is).length;
	return {
		total: nodes.length,
		scored: count((node) => node.outcome === 'scored'),
		invalid: count((node) => node.outcome === 'invalid'),
		failed: count((node) => failures.has(node.outcome)),
	};
}

export function invalidEvaluations(nodes: readonly SearchNode[]): number[] {
	return nodes.filter((node) => !node.evaluationValid).map((node) => node.nodeId);
}

/** Better than a measured baseline by more than the suite's noise; better than a baseline that could not score at all. */
export function isImprovement(options: {
	readonly best: SearchNode | null;
	readonly baseline: Baseline | null;
	readonly objective: Objective;
	readonly noise: number;
}): boolean {
	const { best, baseline, objective, noise } = options;
	if (best?.score == null || baseline === null) return false;
	if (baseline.score === null) return true;
	return isBetter(best.score, baseline.score, objective) && Math.abs(best.score - baseline.score) > noise;
}

/** Document 000: the log says of a rejected candidate that it was rejected. */
function experimentLog(node: SearchNode): string {
	const what = node.solution.split('\n', 1)[0]!.slice(0, 100);
	if (!node.evaluationValid)
		return `Rejected: ${node.branchName} ${node.evaluationIntegrityError ?? ''} ${what}`.trim();
	if (node.outcome === 'scored') return `Success: ${node.branchName} scored ${node.score} ${what}`.trim();
	return `Failed: ${node.branchName} ${node.outcome}${node.code === null ? '' : ` (${node.code})`} ${what}`.trim();
}
