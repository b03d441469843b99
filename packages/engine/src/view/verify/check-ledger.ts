import { decodeNode } from '@kapso-evolve/checkpoint';
import { canonicalJson, type EvaluationFile, type LedgerLine, type SearchNode } from '@kapso-evolve/contracts';
import { isReproduced } from '@kapso-evolve/eval-integrity';
import { isEngineScored } from '../../campaign.ts';
import { nodeOf } from '../../node-of.ts';
import { applyLine, type CampaignState, emptyState, type Flight } from '../../state.ts';
import { isTargetReached } from '../../target.ts';
import type { ReadCampaign } from '../read-campaign.ts';
import type { Problem } from './problem.ts';

/**
 * Does the ledger agree with itself? Every candidate is derived again from the lines of its attempt, and every decision
 * that a rule took (goal reached, winner reproduced) is taken again.
 */
export function checkLedger(campaign: ReadCampaign): Problem[] {
	const problems: Problem[] = [];
	let state = emptyState;
	for (const line of campaign.lines) {
		if (line.type === 'recorded') problems.push(...checkRecorded(campaign, state, line));
		if (line.type === 'confirmed') problems.push(...checkConfirmed(campaign, state, line));
		if (line.type === 'evaluated' && line.node_id === null && line.data.commit !== campaign.launch.mainCommit)
			problems.push({ code: 'BASELINE_DIFFERS', message: `ledger line ${line.seq} scored another commit than main's` });
		state = applyLine(state, line);
	}
	return problems;
}

function checkRecorded(campaign: ReadCampaign, before: CampaignState, line: LedgerLine): Problem[] {
	const problems: Problem[] = [];
	const node = decodeNode(line.data.node as Record<string, unknown>);
	const named = `candidate ${node.nodeId}`;
	const index = before.nodes.length;
	if (node.nodeId !== index) problems.push({ code: 'NODE_ORDER', message: `${named} stands in place ${index}` });
	if (isAdopted(campaign, node)) return problems;
	const flight = before.flights.find(({ nodeId, attempt }) => nodeId === node.nodeId && attempt === node.attempt);
	if (flight === undefined) return [...problems, { code: 'LINE_MISSING', message: `${named} has no intent line` }];
	for (const type of missingLines(campaign, before, flight))
		problems.push({ code: 'LINE_MISSING', message: `${named} has no ${type} line` });
	if (flight.steps.evaluated === undefined) return problems;
	const { evaluated } = flight.steps;
	if (evaluated.score !== node.score || evaluated.outcome !== node.outcome) {
		problems.push({
			code: 'SCORE_DIFFERS',
			message: `${named} was evaluated as ${evaluated.outcome} ${evaluated.score} and recorded as ${node.outcome} ${node.score}`,
		});
	}
	const differing = differingFields(node, derive(campaign, flight, node));
	if (differing.length > 0) {
		problems.push({
			code: 'NODE_DIFFERS',
			message: `${named} is not what the lines of its attempt amount to: ${differing.join(', ')}`,
		});
	}
	return [...problems, ...checkDecisions(campaign, before, flight)];
}

/** Recorded before the first slice, in a campaign that says where it came from: how it was scored nobody recorded. */
export function isAdopted({ lines }: ReadCampaign, { nodeId }: SearchNode): boolean {
	return (
		lines[0]?.data.adopted_from !== undefined &&
		lines.some((line) => line.type === 'recorded' && line.node_id === nodeId && line.slice === 0)
	);
}

function missingLines(campaign: ReadCampaign, before: CampaignState, flight: Flight): string[] {
	const { steps } = flight;
	const needed = ['agent', 'finalised', 'evaluated', 'feedback'] as const;
	const missing: string[] = needed.filter((type) => steps[type] === undefined);
	if (!flight.paid) missing.push('cost');
	const isJudged = campaign.suite !== null && steps.finalised?.status === 'committed';
	if (isJudged && steps.integrity === undefined) missing.push('integrity');
	if (isEngineScored(campaign.launch.evaluationLevel) && before.baseline === null) missing.push('baseline');
	return missing;
}

function derive(campaign: ReadCampaign, flight: Flight, node: SearchNode): SearchNode | null {
	const { settings, evaluationLevel } = campaign.launch;
	// Where nothing ran, the isolation is that of the machine, which no line repeats.
	const around = { settings, suite: campaign.suite, level: evaluationLevel, isolation: node.isolation };
	try {
		return nodeOf(around, flight);
	} catch {
		return null; // no node at all
	}
}

function differingFields(recorded: SearchNode, derived: SearchNode | null): string[] {
	if (derived === null) return ['everything'];
	const names = Object.keys(derived) as (keyof SearchNode)[];
	return names.filter((name) => canonicalJson(recorded[name] ?? null) !== canonicalJson(derived[name] ?? null));
}

function checkDecisions(campaign: ReadCampaign, before: CampaignState, flight: Flight): Problem[] {
	const problems: Problem[] = [];
	const { evaluated, feedback, finalised, integrity } = flight.steps;
	const named = `candidate ${flight.nodeId}`;
	for (const [name, step] of Object.entries({ evaluated, integrity })) {
		if (step?.commit !== undefined && step.commit !== finalised?.commit)
			problems.push({ code: 'COMMIT_DIFFERS', message: `${named}: the ${name} line is about another commit` });
	}
	const parent =
		flight.parent.nodeId === null
			? campaign.launch.mainCommit
			: before.nodes.find(({ nodeId }) => nodeId === flight.parent.nodeId)?.commit;
	if (parent !== flight.parent.commit)
		problems.push({ code: 'PARENT_DIFFERS', message: `${named} was not built on the commit of its parent` });
	const reached = isTargetReached({
		score: evaluated?.outcome === 'scored' ? (evaluated.score as number) : null,
		level: campaign.launch.evaluationLevel,
		evaluation: campaign.suite?.evaluation ?? null,
	});
	if (feedback !== undefined && feedback.should_stop !== reached)
		problems.push({ code: 'GOAL_DIFFERS', message: `${named}: whether it reached the goal is said wrongly` });
	return problems;
}

function checkConfirmed(campaign: ReadCampaign, before: CampaignState, line: LedgerLine): Problem[] {
	const node = before.nodes.find(({ nodeId }) => nodeId === line.node_id);
	const { commit, outcome, score, suite_digest: suite, reproduced } = line.data;
	const again =
		node?.score != null &&
		outcome === 'scored' &&
		typeof score === 'number' &&
		isReproduced({ first: node.score, again: score, noise: noiseOf(campaign.suite?.evaluation ?? null) });
	if (node?.commit === commit && suite === campaign.launch.suiteDigest && reproduced === again) return [];
	return [{ code: 'CONFIRMATION_DIFFERS', message: `ledger line ${line.seq} confirms another commit, suite or score` }];
}

function noiseOf(evaluation: EvaluationFile | null): number {
	return evaluation?.noise ?? 0;
}
