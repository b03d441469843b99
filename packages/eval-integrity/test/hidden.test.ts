import { describe, expect, it } from 'vitest';
import { hasSandbox, openDesk, scoreFiles, scripted, skipReason } from './fixtures.ts';

const one = `printf '{"schema_version":1,"valid":true,"score":1}' > "$KAPSO_RESULT_PATH"`;

describe.skipIf(!hasSandbox)(`what a candidate does not get to see${skipReason}`, () => {
	it('a scorer that prints the labels gives them to nobody: its streams are no feedback [T102]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(scripted({}, `echo "expected 42" | tee /dev/stderr; ${one}`));

		const record = await scoreFiles(desk, { suite, candidate: { 'solve.sh': '' } });

		expect(record).toMatchObject({ score: 1, feedback: '', caseScores: null });
		expect(record.notProven).not.toContain('case-feedback');
	});

	it('of a private suite a candidate finds nothing, wherever it looks: a boundary of the system, not of a prompt [E46]', async () => {
		await using desk = await openDesk();
		const files = scripted(
			{ run: '[sh, solve.sh]' },
			`if [ -s "$KAPSO_OUTPUTS_DIR/found" ]; then echo found; exit 1; fi; ${one}`,
			{ 'holdout.csv': 'holdout-7461' },
		);
		const suite = await desk.suite(files, { visibility: 'private' });
		const search = `grep -rls holdout-7461 /kapso /tmp /home /root /run "${desk.root}" > "$KAPSO_OUTPUTS_DIR/all" 2>/dev/null
grep -v '^/kapso/candidate/solve.sh$' "$KAPSO_OUTPUTS_DIR/all" > "$KAPSO_OUTPUTS_DIR/found"; true`;

		const record = await scoreFiles(desk, { suite, candidate: { 'solve.sh': search } });

		expect(record).toMatchObject({ error: null, score: 1 });
		expect(record.notProven).not.toContain('visible-suite');
	});

	it('candidates that are scored at the same time share no folder [D29, T106]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(
			scripted({ run: '[sh, solve.sh]' }, `if [ -e "$KAPSO_OUTPUTS_DIR/met" ]; then exit 1; fi; ${one}`),
		);
		const data = await desk.data({ 'a.csv': '1' });
		const meet = (mine: string, other: string): string => `
for folder in "$KAPSO_DATA_DIR" "$KAPSO_CANDIDATE_DIR" "$KAPSO_OUTPUTS_DIR" "$HOME" /tmp /dev/shm; do touch "$folder/${mine}"; done 2>/dev/null
sleep 0.5
for folder in "$KAPSO_DATA_DIR" "$KAPSO_CANDIDATE_DIR" "$KAPSO_OUTPUTS_DIR" "$HOME" /tmp /dev/shm; do
	if [ -e "$folder/${other}" ]; then touch "$KAPSO_OUTPUTS_DIR/met"; fi
done
true`;

		const records = await Promise.all([
			scoreFiles(desk, { suite, data, candidate: { 'solve.sh': meet('one', 'two') } }),
			scoreFiles(desk, { suite, data, candidate: { 'solve.sh': meet('two', 'one') } }),
		]);

		expect(records.map(({ error, score }) => [error, score])).toEqual([
			[null, 1],
			[null, 1],
		]);
	});
});
