import type { EvaluationRecord } from '@kapso-evolve/eval-integrity';
import type { Campaign } from './campaign.ts';
import { evaluationOf } from './campaign.ts';
import { engineVersion } from './version.ts';

/**
 * What one scoring run claims, for its ledger line: the result, the bytes that it is about (candidate, suite, data,
 * policy), who ran it and how apart. What differs from run to run is named `*_ms` or stands in
 * `volatileLedgerFields`, so that two runs of the same campaign can be compared.
 */
export function evidenceOf(
	campaign: Campaign,
	record: EvaluationRecord,
	candidate: { readonly commit: string; readonly parentCommit: string | null; readonly treeSha256: string | null },
): Record<string, unknown> {
	const total = (measure: (phase: EvaluationRecord['phases'][number]) => number | null) =>
		record.phases.reduce((sum, phase) => sum + (measure(phase) ?? 0), 0);
	return {
		outcome: record.outcome,
		code: record.code,
		error: record.error,
		score: record.score,
		score_source: record.outcome === 'scored' ? 'engine' : null,
		scores: record.scores,
		metrics: record.metrics,
		case_scores: record.caseScores,
		cases: record.cases,
		cases_expected: evaluationOf(campaign)?.cases ?? null,
		commit: candidate.commit,
		parent_commit: candidate.parentCommit,
		tree_sha256: candidate.treeSha256,
		suite_digest: record.suiteDigest,
		data_digest: record.dataDigest,
		policy_digest: campaign.launch.evaluationDigest,
		programs: programsOf(record),
		engine_version: engineVersion,
		git_version: campaign.workspace.gitVersion,
		level: record.level,
		isolation: record.isolation,
		candidate_isolated: record.candidateIsolated,
		stripped: record.stripped,
		not_proven: record.notProven,
		evaluation_ms: Math.round(record.durationMs),
		wall_ms: Math.round(total((phase) => phase.wallMs)),
		cpu_ms: Math.round(total((phase) => phase.cpuMs)),
		peak_memory_bytes: Math.max(0, ...record.phases.map((phase) => phase.peakMemoryBytes ?? 0)),
	};
}

/** The programs that ran, each once: real path and SHA-256 of its bytes. */
function programsOf(record: EvaluationRecord): readonly { readonly path: string; readonly digest: string }[] {
	const programs = new Map(record.phases.map(({ program }) => [program.path, program.sha256]));
	return [...programs].map(([path, digest]) => ({ path, digest }));
}

/** The record of a run as it is kept: without what differs from run to run, so that equal runs have equal digests. */
export function recordBytes(record: EvaluationRecord): string {
	const { durationMs: _, phases, ...stable } = record;
	const kept = phases.map(({ wallMs: _wall, cpuMs: _cpu, peakMemoryBytes: _memory, ...phase }) => phase);
	return `${JSON.stringify({ ...stable, phases: kept }, null, 2)}\n`;
}
