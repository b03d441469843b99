import { describe, expect, it } from 'vitest';
import { hasSandbox, openDesk, scoreFiles, scripted, skipReason } from './fixtures.ts';

const good = '{"schema_version":1,"valid":true,"score":0.5}';
const write = (json: string): string => `cat > "$KAPSO_RESULT_PATH" <<'END'\n${json}\nEND\n`;

describe.skipIf(!hasSandbox)(`what a scorer leaves${skipReason}`, () => {
	it.each([
		['a score', write(good), { outcome: 'scored', score: 0.5, code: null }],
		['nothing, and exit 0 [T040, D24]', 'exit 0', { outcome: 'invalid', code: 'RESULT_MISSING' }],
		[
			'a score on stdout only [T043]',
			`echo '${good}'; echo "score: 1.0"`,
			{ outcome: 'invalid', code: 'RESULT_MISSING' },
		],
		['two results', write(`${good}\n${good}`), { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		['half a result', write('{"schema_version":1,"valid":tr'), { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		['an empty file', ': > "$KAPSO_RESULT_PATH"', { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		['text that is not UTF-8', `printf '"\\377"' > "$KAPSO_RESULT_PATH"`, { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		['a score as text [T044]', write(good.replace('0.5', '"0.5"')), { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		[
			'a key too many',
			write(good.replace('"score"', '"bonus":1,"score"')),
			{ outcome: 'invalid', code: 'RESULT_SHAPE' },
		],
		['another version', write(good.replace('1,', '2,')), { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		['NaN [T110]', write(good.replace('0.5', 'NaN')), { outcome: 'invalid', code: 'RESULT_NOT_FINITE' }],
		[
			'Infinity in a metric',
			write(good.replace('0.5', '1,"metrics":{"m":-Infinity}')),
			{ outcome: 'invalid', code: 'RESULT_NOT_FINITE' },
		],
		[
			'a number too large to be one',
			write(good.replace('0.5', '1e999')),
			{ outcome: 'invalid', code: 'RESULT_NOT_FINITE' },
		],
		[
			'an undeclared metric [T110]',
			write(good.replace('0.5', '1,"metrics":{"speed":3}')),
			{ outcome: 'invalid', code: 'RESULT_METRIC' },
		],
		['a declared metric', write(good.replace('0.5', '1,"metrics":{"m":3}')), { outcome: 'scored', metrics: { m: 3 } }],
		[
			'case scores that disagree with the count',
			write(good.replace('0.5', '1,"cases":3,"case_scores":[1]')),
			{ outcome: 'invalid', code: 'RESULT_CASES' },
		],
		[
			'its own refusal',
			write('{"schema_version":1,"valid":false,"reason":"no answer"}'),
			{ outcome: 'invalid', code: 'SUITE_SAID_INVALID', error: 'no answer' },
		],
		['a score and exit 1', `${write(good)}exit 1`, { outcome: 'invalid', code: 'SCORER_CRASH' }],
		[
			'a link to a result [T088]',
			`echo '${good}' > /tmp/r; ln -s /tmp/r "$KAPSO_RESULT_PATH"`,
			{ outcome: 'invalid', code: 'RESULT_SHAPE' },
		],
		[
			'a link to a file of the machine',
			'ln -s /etc/hostname "$KAPSO_RESULT_PATH"',
			{ outcome: 'invalid', code: 'RESULT_SHAPE' },
		],
		[
			'a hard link',
			`${write(good)}ln "$KAPSO_RESULT_PATH" "$KAPSO_ARTIFACTS_DIR/other"`,
			{ outcome: 'invalid', code: 'RESULT_SHAPE' },
		],
		['a pipe', 'mkfifo "$KAPSO_RESULT_PATH"', { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		['a folder', 'mkdir "$KAPSO_RESULT_PATH"', { outcome: 'invalid', code: 'RESULT_SHAPE' }],
		[
			'more than 4 MiB',
			'head -c 5000000 /dev/zero > "$KAPSO_RESULT_PATH"',
			{ outcome: 'invalid', code: 'RESULT_SHAPE' },
		],
		[
			'a change after its own end [T089]',
			`${write(good)}(setsid sh -c 'sleep 0.2; echo "{}" > "$KAPSO_RESULT_PATH"' &) 2>/dev/null`,
			{ outcome: 'scored', score: 0.5 },
		],
	])('%s', async (_, score, expected) => {
		await using desk = await openDesk();
		const suite = await desk.suite(scripted({ more: 'metrics: [m]' }, score));

		const record = await scoreFiles(desk, { suite, candidate: {} });

		expect(record).toMatchObject(expected);
		expect(record.score === null).toBe(record.outcome !== 'scored');
		expect(record.feedback).toBe(record.error ?? '');
	});

	it.each([
		['as many cases as declared', '"cases":2', 'scored', null],
		['as many case scores as declared', '"case_scores":[1,0]', 'scored', null],
		['fewer cases: a shrunk denominator', '"cases":1', 'invalid', 'RESULT_CASES'],
		['no word on cases', '"feedback":"fine"', 'invalid', 'RESULT_CASES'],
	])('gives %s where cases are declared [T112]', async (_, field, outcome, code) => {
		await using desk = await openDesk();
		const suite = await desk.suite(scripted({ more: 'cases: 2' }, write(good.replace('0.5', `1,${field}`))));

		expect(await scoreFiles(desk, { suite, candidate: {} })).toMatchObject({ outcome, code });
	});

	it('takes for ever: invalid, and nothing of it lives on [bad input]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite({
			'kapso.evaluation.yaml': 'version: 1\nscore: {command: [sh, -c, "sleep 60 & sleep 60"], timeout_seconds: 0.3}\n',
		});

		expect(await scoreFiles(desk, { suite, candidate: {} })).toMatchObject({
			outcome: 'invalid',
			code: 'SCORER_TIMEOUT',
			phases: [{ phase: 'score', status: 'timed-out', exitCode: expect.toSatisfy((code) => code !== 0) }],
		});
	});
});
