import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvaluateOptions } from '@kapso-evolve/eval-integrity';
import { type Arena, openArena, type Place } from './arena.ts';
import { type Attempt, attempt } from './attempt.ts';
import type { Ending, HonestCase, TamperCase } from './case.ts';
import { type Language, languages } from './language.ts';
import { openOracle } from './oracle.ts';
import { underPublishedRule } from './published-rule.ts';
import { realSteps } from './steps.ts';
import type { Shape } from './suite.ts';

export type Level = EvaluateOptions['level'];
export type Kind = 'accepted' | 'rejected' | 'neutralised' | 'reported';

/** Right for one of eight inputs. */
export const baseScore = 0.125;
const isRaised = (score: number | null): boolean => score !== null && score > baseScore + 1e-6;

/**
 * `accepted`: a better score than the program earns, or another effect, that the record does not tell. A record tells of
 * a case that is out of reach (`REP`), of a candidate in the scorer's process and of a missing sandbox by name.
 */
export function kindOf(what: TamperCase, ended: Attempt): Kind {
	if (ended.harm !== null) return 'accepted';
	if (ended.score === null) return 'rejected';
	if (what.says !== undefined) return ended.notProven.includes(what.says) ? 'reported' : 'accepted';
	if (!isRaised(ended.score)) return 'neutralised';
	return 'accepted';
}

const kinds: Readonly<Record<Ending, Kind>> = { REJ: 'rejected', NEU: 'neutralised', REP: 'reported' };

/** What must come of a case at a level. */
export function expectedKind(what: TamperCase, level: Level): Kind {
	if (level === 'suite-sealed' && what.inProcess) return 'accepted';
	return kinds[what.expect];
}

export function isApplicable(what: TamperCase, level: Level): boolean {
	if (level === 'suite-sealed') return !what.needsRun;
	return level === 'sealed' || !what.needsSandbox;
}

export interface SweepOptions {
	readonly place: Place;
	readonly level: Level;
	readonly cases: readonly TamperCase[];
	readonly honest: readonly HonestCase[];
	readonly published: boolean;
	readonly progress?: (line: string) => void;
}

export interface Surprise {
	readonly name: string;
	readonly expected: string;
	readonly got: string;
	readonly detail: string | null;
}

export interface SweepReport {
	attempts: number;
	accepted: number;
	rejected: number;
	neutralised: number;
	reported: number;
	honest: number;
	honest_rejected: number;
	/** Cases that ended in another way than they must. */
	unexpected: Surprise[];
	/** Accepted at a weaker level, and named in the record. */
	accepted_and_named: number;
	published_rule?: PublishedReport;
}

export interface PublishedReport {
	attempts: number;
	/** Of the attempts, those whose number was really raised. */
	raised: number;
	accepted: number;
	rejected: number;
	honest: number;
	honest_rejected: number;
}

export async function sweep(options: SweepOptions): Promise<SweepReport> {
	const { place, level, progress } = options;
	await using oracle = await openOracle();
	const shape: Shape = level === 'suite-sealed' ? 'together' : 'apart';
	const report: SweepReport = {
		...{ attempts: 0, accepted: 0, rejected: 0, neutralised: 0, reported: 0, honest: 0, honest_rejected: 0 },
		unexpected: [],
		accepted_and_named: 0,
	};
	const published = { attempts: 0, raised: 0, accepted: 0, rejected: 0, honest: 0, honest_rejected: 0 };
	for (const language of languages) {
		const arena = await openIn(place, { language, level, shape });
		const plain = options.published
			? await openIn(place, { language, level: 'suite-sealed', shape: 'together' }, 'published')
			: null;
		try {
			const cases = options.cases.filter((what) => what.language === language && isApplicable(what, level));
			await inParallel(cases, async (what) => {
				const ended = await attempt(arena, what, { steps: realSteps, oracle });
				count(report, what, level, ended);
				if (plain !== null) await countPublished(published, await underPublishedRule(plain, what, oracle));
				progress?.(`${language}: ${what.name}: ${kindOf(what, ended)}`);
			});
			const honest = options.honest.filter((what) => what.language === language);
			await inParallel(honest, async (what) => {
				const ended = await attempt(arena, what, { steps: realSteps, oracle });
				countHonest(report, what, ended);
				if (plain === null) return;
				published.honest++;
				if (!(await underPublishedRule(plain, what, oracle)).valid) published.honest_rejected++;
			});
		} finally {
			await arena.workspace.close();
			await plain?.workspace.close();
		}
	}
	return options.published ? { ...report, published_rule: published } : report;
}

export async function openIn(
	place: Place,
	kind: { readonly language: Language; readonly level: Level; readonly shape: Shape },
	name = 'arena',
): Promise<Arena> {
	const folder = join(place.folder, `${name}-${kind.language}-${kind.level}`);
	await mkdir(folder, { recursive: true });
	return openArena({ ...place, folder }, kind);
}

function count(report: SweepReport, what: TamperCase, level: Level, ended: Attempt): void {
	const kind = kindOf(what, ended);
	const expected = expectedKind(what, level);
	report.attempts++;
	const name = level === 'unsealed' ? 'no-isolation' : 'candidate-in-scorer-process';
	const isNamed = kind === 'accepted' && level !== 'sealed' && ended.notProven.includes(name);
	report[kind]++;
	if (isNamed) report.accepted_and_named++;
	if (level === 'unsealed' ? kind === 'accepted' && !isNamed : kind !== expected || (kind === 'accepted' && !isNamed)) {
		const detail = ended.harm ?? (ended.code === null ? `score ${ended.score}` : `${ended.code}: ${ended.error}`);
		report.unexpected.push({ name: `${what.language}: ${what.name}`, expected, got: kind, detail });
	}
}

function countHonest(report: SweepReport, what: HonestCase, ended: Attempt): void {
	report.honest++;
	if (ended.score === (what.earns === 'base' ? baseScore : 1) && ended.harm === null) return;
	report.honest_rejected++;
	const got = ended.score === null ? (ended.code ?? 'no score') : `score ${ended.score}`;
	report.unexpected.push({
		name: `${what.language}: honest: ${what.name}`,
		expected: what.earns,
		got,
		detail: ended.harm ?? ended.error,
	});
}

async function countPublished(
	report: PublishedReport,
	result: { readonly valid: boolean; readonly score: number | null },
): Promise<void> {
	report.attempts++;
	if (!result.valid) report.rejected++;
	if (!isRaised(result.score)) return;
	report.raised++;
	if (result.valid) report.accepted++;
}

/** Two at a time: as many as the machine has processors. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
	const queue = [...items];
	const lane = async (): Promise<void> => {
		for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
	};
	await Promise.all([lane(), lane()]);
}
