import { caseIds, caseLists } from './case-ids.ts';
import type { Citation } from './citations.ts';
import { milestones } from './milestones.ts';
import { requirements } from './requirements.ts';

export interface Group {
	/** A milestone, or the letter of a case list. */
	readonly name: string;
	readonly title: string;
	readonly total: number;
	readonly uncited: readonly string[];
}

export interface Coverage {
	readonly milestones: readonly Group[];
	readonly cases: readonly Group[];
	/** Citations of ids that exist nowhere: a mistake, always. */
	readonly unknown: readonly Citation[];
}

const caseTitles = {
	A: 'behaviour facts',
	D: 'defects',
	T: 'tamper cases',
	E: 'field reports, running',
	L: 'field reports, models',
	G: 'field reports, Git',
} as const;

/** Which promises and cases some test cites, which none does, and which citations point nowhere. */
export function measureCoverage(citations: readonly Citation[]): Coverage {
	const cited = new Set(citations.map(({ id }) => id));
	const group = (name: string, title: string, ids: readonly string[]): Group => ({
		name,
		title,
		total: ids.length,
		uncited: ids.filter((id) => !cited.has(id)),
	});
	const known = new Set([...requirements.map(({ id }) => id), ...caseLists.flatMap(caseIds)]);
	return {
		milestones: Object.entries(milestones).map(([name, title]) =>
			group(
				name,
				title,
				requirements.filter(({ milestone }) => milestone === name).map(({ id }) => id),
			),
		),
		cases: caseLists.map((list) => group(list, caseTitles[list], caseIds(list))),
		unknown: citations.filter(({ id }) => !known.has(id)),
	};
}
