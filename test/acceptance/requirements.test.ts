import { describe, expect, it } from 'vitest';
import { caseIds, caseLists } from './case-ids.ts';
import { citationsIn, citationsInPage } from './citations.ts';
import { measureCoverage } from './coverage.ts';
import { requirements } from './requirements.ts';

describe('the list of promises', () => {
	it('has every promise of the four documents and of the design card once', () => {
		expect(requirements).toHaveLength(329);
		expect(new Set(requirements.map(({ id }) => id)).size).toBe(329);
		expect(
			requirements.filter(({ place, promise }) => !/^(?:card|00[0234]:\w+)$/.test(place) || promise === ''),
		).toEqual([]);
	});

	it('counts goals, non-goals, compatibility, testing policy and rejected behaviours among the promises', () => {
		const prefixes = requirements.filter(({ milestone }) => milestone === 'program').map(({ id }) => id.slice(0, 2));
		expect(
			Object.fromEntries(['RG', 'RN', 'RC', 'RT', 'RR'].map((one) => [one, prefixes.filter((p) => p === one).length])),
		).toEqual({ RG: 5, RN: 8, RC: 5, RT: 3, RR: 8 });
	});

	it('knows the case lists beside the promises, and no id stands in two lists', () => {
		const sizes = Object.fromEntries(caseLists.map((list) => [list, caseIds(list).length]));
		expect(sizes).toEqual({ A: 178, D: 41, T: 101, E: 52, L: 32, G: 44 });
		const all = [...requirements.map(({ id }) => id), ...caseLists.flatMap(caseIds)];
		expect(new Set(all).size).toBe(all.length);
		expect(caseIds('T').slice(0, 5)).toEqual(['T001', 'T002', 'T003', 'T004', 'T006']);
	});
});

describe('citations', () => {
	const open = '[';

	it('are read from the brackets that end the name of a test, with their place', () => {
		const text = `it('refuses ${open}A4, M102]', …\nit('is plain', …\nconst row = values[A1]; // ${open}none]`;
		expect(citationsIn(text, 'x.test.ts')).toEqual([
			{ id: 'A4', place: 'x.test.ts:1' },
			{ id: 'M102', place: 'x.test.ts:1' },
		]);
	});

	it('are read from the rows of a table whose name has a placeholder in the brackets', () => {
		const table = `it.each([{ id: 'T001' }, { id: 'T002, D22' }])('$what ${open}$id]', …`;
		expect(citationsIn(table, 'x.test.ts').map(({ id }) => id)).toEqual(['T001', 'T002', 'D22']);
		expect(citationsIn(`const id = 'T001';`, 'x.test.ts')).toEqual([]);
	});

	it('are read from the last line of a decision page', () => {
		const page = '# A page\n\nPromises of others are kept.\n\nPromises: M306, M314.\n';
		expect(citationsInPage(page, 'docs/decisions/x.md')).toEqual([
			{ id: 'M306', place: 'docs/decisions/x.md:5' },
			{ id: 'M314', place: 'docs/decisions/x.md:5' },
		]);
	});

	it('are found when they are misspelt, so that the others beside them do not get lost', () => {
		expect(citationsIn(`it('x ${open}EI07, M3-1]', …`, 'x.test.ts').map(({ id }) => id)).toEqual(['EI07', 'M3-1']);
	});

	it('take an id from the uncited ones of its milestone; one that does not exist is reported with its place', () => {
		const coverage = measureCoverage([
			{ id: 'M102', place: 'a.test.ts:1' },
			{ id: 'M999', place: 'a.test.ts:2' },
		]);
		const first = coverage.milestones[0]!;
		expect([first.name, first.total, first.uncited.length]).toEqual(['M1', 13, 12]);
		expect(coverage.unknown).toEqual([{ id: 'M999', place: 'a.test.ts:2' }]);
	});
});
