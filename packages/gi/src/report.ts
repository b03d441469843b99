import { rename, writeFile } from 'node:fs/promises';
import { type AgentReport, agentReportSchema } from '@kapso-evolve/contracts';
import type { Change, Improvement } from './improve.ts';

/** Writes the report beside its place and moves it there, so that it is never seen half-written. */
export async function writeReport(path: string, report: AgentReport): Promise<void> {
	const temporary = `${path}.${process.pid}.tmp`;
	await writeFile(temporary, `${JSON.stringify(agentReportSchema.parse(report))}\n`, { mode: 0o600 });
	await rename(temporary, path);
}

/** What was done, for people: the scores that trials measured, then each literal that changed. */
export function summaryOf(improvement: Improvement, literals: number): string {
	const { before, after, trials, changes, improved } = improvement;
	const tried = `${count(literals, 'literal')}, ${count(trials, 'trial')}`;
	if (improved) return [`Score ${shown(before)} -> ${shown(after)} (${tried}).`, ...changes.map(line)].join('\n');
	if (changes.length === 0) return `Nothing was better than the original, score ${shown(before)} (${tried}).`;
	return [`No gain: other values with the same score ${shown(after)} (${tried}).`, ...changes.map(line)].join('\n');
}

export function blindSummaryOf(changes: readonly Change[]): string {
	return ['Moved without a measurement: nothing can be tried here (no KAPSO_TRY).', ...changes.map(line)].join('\n');
}

function line({ path, line: number, from, to }: Change): string {
	return `${path}:${number}: ${from} -> ${to}`;
}

export function shown(score: number | null): string {
	return score === null ? 'none' : String(Number(score.toPrecision(6)));
}

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
