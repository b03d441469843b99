import { KapsoError, type Outcome } from '@kapso-evolve/contracts';
import type { EvaluationRecord } from '@kapso-evolve/eval-integrity';
import { type Campaign, isEngineScored } from '../campaign.ts';
import { evidenceOf, recordBytes } from '../evidence.ts';
import { refuseInfrastructure, scoreCommit } from '../score-commit.ts';
import type { Flight } from '../state.ts';

/** Ends the attempt in exactly one outcome. The engine's own run scores where there is one; a report does elsewhere. */
export async function evaluateCandidate(campaign: Campaign, flight: Flight): Promise<void> {
	const { nodeId, attempt, steps } = flight;
	const withoutRun = outcomeWithoutRun(campaign, flight);
	if (withoutRun !== null) {
		await campaign.append({ type: 'evaluated', nodeId, attempt, data: withoutRun });
		return;
	}
	campaign.emit({ type: 'phase', nodeId, phase: 'evaluate' });
	const commit = steps.finalised!.commit as string;
	let record: EvaluationRecord;
	try {
		record = await scoreCommit(campaign, commit, {
			stripped: (steps.integrity?.stripped as string[] | undefined) ?? [],
			notProven: (steps.integrity?.not_proven as string[] | undefined) ?? [],
		});
	} catch (error) {
		// A verdict is about the candidate (a link that leaves its tree): it ends the attempt, never the campaign.
		if (!KapsoError.isInstance(error) || error.category !== 'verdict') throw error;
		await campaign.append({ type: 'evaluated', nodeId, attempt, data: rejected(error.code, error.message) });
		return;
	}
	campaign.throwIfInterrupted();
	refuseInfrastructure(record);
	const evaluation = await campaign.records.put({ nodeId, attempt, name: 'evaluation', bytes: recordBytes(record) });
	const candidate = {
		commit,
		parentCommit: flight.parent.commit,
		treeSha256: steps.finalised!.tree_sha256 as string,
	};
	await campaign.append({
		type: 'evaluated',
		nodeId,
		attempt,
		data: { ...evidenceOf(campaign, record, candidate), feedback: record.feedback, evaluation },
	});
}

/** The outcomes that need no run, most telling first; null when the commit is to be run. */
function outcomeWithoutRun(campaign: Campaign, flight: Flight): Record<string, unknown> | null {
	const { agent, finalised, integrity } = flight.steps;
	if (finalised!.status === 'rejected') return rejected(finalised!.code as string, finalised!.error as string);
	if (integrity?.valid === false) return rejected(integrity.code as string, integrity.error as string);
	if (agent!.status === 'failed' || agent!.status === 'timed-out') {
		return ended(
			'agent-failed',
			agent!.status === 'timed-out' ? 'AGENT_TIMED_OUT' : 'AGENT_FAILED',
			agent!.reason as string | null,
		);
	}
	if (finalised!.status === 'no-change')
		return ended('no-change', 'NO_CHANGE', 'the agent left the files as they were');
	if (isEngineScored(campaign.level)) return null;
	if (typeof agent!.reported_score !== 'number')
		return ended('no-report', 'NO_SCORE', 'the agent reported no score and nobody else measured one');
	return { ...ended('scored', null, null), score: agent!.reported_score, score_source: 'agent' };
}

function ended(outcome: Outcome, code: string | null, error: string | null) {
	return { outcome, code, error, score: null };
}

function rejected(code: string, error: string) {
	return { ...ended('invalid', code, error), integrity: false };
}
