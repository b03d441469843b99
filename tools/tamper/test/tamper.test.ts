import { openSandbox } from '@kapso-evolve/process';
import { type TemporaryFolder, temporaryFolder } from '@kapso-evolve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Arena, Place } from '../src/arena.ts';
import { attempt } from '../src/attempt.ts';
import { honestCases, tamperCases } from '../src/cases/index.ts';
import { runControls } from '../src/controls.ts';
import type { Language } from '../src/language.ts';
import { type Oracle, openOracle } from '../src/oracle.ts';
import { race } from '../src/race.ts';
import { realSteps } from '../src/steps.ts';
import { baseScore, expectedKind, kindOf, openIn } from '../src/sweep.ts';

const path = process.env.PATH ?? '/usr/bin:/bin';
const sandbox = await openSandbox({ path });
const skipReason = sandbox.isolation === 'none' ? ` (skipped: ${sandbox.reason})` : '';

let folder: TemporaryFolder;
let oracle: Oracle;
let place: Place;
const arenas = new Map<Language, Arena>();

beforeAll(async () => {
	[folder, oracle] = [await temporaryFolder('tamper'), await openOracle()];
	place = { folder: folder.path, sandbox, path, programHashes: new Map() };
});
afterAll(async () => {
	for (const arena of arenas.values()) await arena.workspace.close();
	await oracle[Symbol.asyncDispose]();
	await folder[Symbol.asyncDispose]();
});

async function arenaOf(language: Language): Promise<Arena> {
	const arena = arenas.get(language) ?? (await openIn(place, { language, level: 'sealed', shape: 'apart' }));
	arenas.set(language, arena);
	return arena;
}

/** One case for each id, in the language that starts fastest. The whole corpus runs every night. */
const tried = new Set<string>();
function caseOf(id: string) {
	const cases = tamperCases.filter((what) => what.ids.includes(id));
	const [first] = [...cases].sort((a, b) => (a.language > b.language ? -1 : 1));
	return cases.find((what) => what.language === 'shell' && !tried.has(what.name)) ?? first;
}

describe.skipIf(sandbox.isolation === 'none')(`the corpus of tricks, at level sealed${skipReason}`, () => {
	it.each([
		...['T001', 'T002', 'T003', 'T004', 'T006', 'T009', 'T011', 'T013', 'T016', 'T017', 'T018', 'T019', 'T021', 'T022'],
		...['T023', 'T024', 'T026', 'T027', 'T029', 'T031', 'T032', 'T033', 'T034', 'T035', 'T036', 'T038', 'T039', 'T040'],
		...['T041', 'T043', 'T044', 'T047', 'T048', 'T049', 'T051', 'T053', 'T054', 'T055', 'T056', 'T058', 'T059', 'T061'],
		...['T062', 'T064', 'T067', 'T068', 'T070', 'T071', 'T073', 'T074', 'T076', 'T077', 'T078', 'T079', 'T083', 'T084'],
		...['T087', 'T088', 'T089', 'T093', 'T094', 'T095', 'T096', 'T098', 'T099', 'T100', 'T101', 'T103', 'T105', 'T106'],
		...['T107', 'T108', 'T109', 'T110', 'T112', 'T113', 'T133', 'T134', 'T135', 'D21', 'D22', 'D24', 'E38', 'E41'],
		...['E42', 'E43', 'E44', 'E48'],
	])('ends as its line says, and nothing is won by it [%s]', async (id) => {
		const what = caseOf(id)!;
		if (tried.has(`${what.language} ${what.name}`)) return; // the same case under its other id
		tried.add(`${what.language} ${what.name}`).add(what.name);
		const ended = await attempt(await arenaOf(what.language), what, { steps: realSteps, oracle });
		expect({ name: what.name, kind: kindOf(what, ended) }).toEqual({
			name: what.name,
			kind: expectedKind(what, 'sealed'),
		});
	});

	it('never rejects an honest candidate, and scores it by what it earns [D22]', async () => {
		const arena = await arenaOf('shell');
		const wrong: string[] = [];
		for (const what of honestCases.filter(({ language }) => language === 'shell').slice(2, 22)) {
			const { score, code, harm } = await attempt(arena, what, { steps: realSteps, oracle });
			const expected = what.earns === 'base' ? baseScore : 1;
			if (score !== expected || harm !== null) wrong.push(`${what.name}: ${code ?? score} ${harm}`);
		}
		expect(wrong).toEqual([]);
	});

	it('notices when a defence is missing: without it something gets through [E48]', async () => {
		const words = ['weakens the tolerance', 'one name twice', 'a link to the labels', 'moved after it was judged'];
		const cases = tamperCases.filter(
			(what) => what.language === 'shell' && words.some((word) => what.name.includes(word)),
		);
		const { controls } = await runControls({ place, cases });
		const leaking = controls.filter(({ leaked }) => leaked.length > 0).map(({ name }) => name);
		expect(leaking).toEqual(
			expect.arrayContaining(['provided-bytes', 'output-kinds', 'bound-commit', 'object-checks']),
		);
	});

	it('runs the bytes that it hashed, whatever happens to the agent’s folder meanwhile [T080, T078, E44]', async () => {
		const report = await race({ place, rounds: 6 });
		expect(report.rounds).toBeGreaterThanOrEqual(6);
		expect(report.mismatches).toBe(0);
		expect(report.control.mismatches).toBeGreaterThan(0);
	});
});
