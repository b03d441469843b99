import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notProvenReasons } from '../src/index.ts';
import {
	doubling,
	type Files,
	hasSandbox,
	openDesk,
	scoreFiles,
	scripted,
	skipReason,
	squares,
	squaring,
} from './fixtures.ts';

describe.skipIf(!hasSandbox)(`a sealed evaluation${skipReason}`, () => {
	it('scores a candidate by the caller’s bytes and records what ran and what is not proven [A78, D24, T091, E43]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);

		const better = await scoreFiles(desk, { suite, candidate: squaring });
		const worse = await scoreFiles(desk, { suite, candidate: doubling });

		expect(better).toMatchObject({
			...{ outcome: 'scored', code: null, error: null, score: 1, scores: [1], cases: 3, metrics: { right: 3 } },
			...{ level: 'sealed', isolation: 'os', candidateIsolated: true, suiteDigest: suite.digest, dataDigest: null },
		});
		expect(better.notProven).toEqual(expect.arrayContaining(['visible-suite', 'single-measurement']));
		expect(Object.keys(notProvenReasons)).toEqual(expect.arrayContaining([...better.notProven]));
		expect(better.phases.map(({ phase, argv, exitCode }) => ({ phase, argv, exitCode }))).toEqual([
			{ phase: 'run', argv: ['/kapso/bin/node', 'driver.mjs'], exitCode: 0 },
			{ phase: 'score', argv: ['/kapso/bin/node', 'score.mjs'], exitCode: 0 },
		]);
		expect(better.phases[0]!.program).toEqual({
			path: process.execPath,
			sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
		});
		expect(worse.score).toBeCloseTo(1 / 3);
	});

	it('shows each phase exactly what the contract says and nothing else of the machine [T033, T036, T087, T099, T105]', async () => {
		await using desk = await openDesk();
		const look = `#!/bin/sh
exec > "$1/seen.txt" 2>&1
pwd; find /kapso -type f | sort; ls /kapso | tr '\\n' ' '; echo
env | grep -v '^\\(_\\|PWD\\|SHLVL\\|OLDPWD\\)=' | sort
echo "interfaces $(grep -c : /proc/net/dev)"; echo "processes $(ls /proc | grep -c '^[0-9]*$')"; ls -A "$HOME" /tmp
for p in /kapso/candidate /kapso/inputs /kapso/suite /kapso/data /usr; do touch $p/x 2>/dev/null && echo "could write $p"; done
true
`;
		const suite = await desk.suite({
			'kapso.evaluation.yaml': `version: 1
run: {command: [./look.sh, /kapso/outputs], files: [look.sh], data: ['public/**']}
score: {command: [sh, score.sh]}
env: [SHOWN, ABSENT]
`,
			'look.sh': { executable: look },
			'score.sh': `sh look.sh /kapso/result/artifacts
cp "$KAPSO_OUTPUTS_DIR/seen.txt" "$KAPSO_ARTIFACTS_DIR/run.txt"
printf '{"schema_version":1,"valid":true,"score":1}' > "$KAPSO_RESULT_PATH"
`,
			'secret.txt': 'labels',
		});
		const data = await desk.data({ 'public/a.csv': '1', 'private/labels.csv': '2' });

		const record = await scoreFiles(desk, {
			...{ suite, data, candidate: { 'solve.sh': 'true' }, workFolder: desk.at('work') },
			environment: { SHOWN: 'yes', API_KEY: 'secret' },
		});
		const artifacts = desk.at('work/repeat-1/score/result/artifacts');
		const seen = async (name: string) => (await readFile(join(artifacts, name), 'utf8')).trim().split('\n');

		expect(record.error).toBeNull();
		expect(record.notProven).toContain('passed-environment');
		expect(await seen('run.txt')).toEqual([
			'/kapso/inputs',
			...['bin/node', 'candidate/.keep', 'candidate/solve.sh', 'data/public/a.csv', 'inputs/look.sh'].map(
				(path) => `/kapso/${path}`,
			),
			'/kapso/outputs/seen.txt',
			'bin candidate data home inputs outputs ',
			...['HOME=/kapso/home', 'KAPSO_CANDIDATE_DIR=/kapso/candidate', 'KAPSO_DATA_DIR=/kapso/data'],
			...['KAPSO_OUTPUTS_DIR=/kapso/outputs', 'LANG=C.UTF-8', 'PATH=/kapso/bin:/usr/local/bin:/usr/bin:/bin'],
			...['SHOWN=yes', 'TMPDIR=/tmp'],
			'interfaces 1',
			expect.stringMatching(/^processes [2-9]$/),
			...['/kapso/home:', '', '/tmp:'],
		]);
		expect(await seen('seen.txt')).toEqual([
			'/kapso/suite',
			...['bin/node', 'data/private/labels.csv', 'data/public/a.csv', 'outputs/seen.txt', 'report.json'].map(
				(path) => `/kapso/${path}`,
			),
			'/kapso/result/artifacts/seen.txt',
			...['kapso.evaluation.yaml', 'look.sh', 'score.sh', 'secret.txt'].map((path) => `/kapso/suite/${path}`),
			'bin data home outputs report.json result suite ',
			'HOME=/kapso/home',
			...[
				'KAPSO_ARTIFACTS_DIR=/kapso/result/artifacts',
				'KAPSO_DATA_DIR=/kapso/data',
				'KAPSO_OUTPUTS_DIR=/kapso/outputs',
			],
			...['KAPSO_RESULT_PATH=/kapso/result/result.json', 'KAPSO_RUN_REPORT=/kapso/report.json'],
			...['LANG=C.UTF-8', 'PATH=/kapso/bin:/usr/local/bin:/usr/bin:/bin', 'SHOWN=yes', 'TMPDIR=/tmp'],
			'interfaces 1',
			expect.stringMatching(/^processes [2-9]$/),
			...['/kapso/home:', '', '/tmp:'],
		]);
	});

	it('builds, runs and scores in three views, and what the build left is there when the run begins [T031]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite({
			'kapso.evaluation.yaml': `version: 1
build: {command: [./build.sh]}
run: {command: ['\${KAPSO_OUTPUTS_DIR}/program']}
score: {command: [sh, score.sh]}
`,
			'score.sh': `printf '{"schema_version":1,"valid":true,"score":%s}' "$(cat "$KAPSO_OUTPUTS_DIR/answer")" > "$KAPSO_RESULT_PATH"`,
		});
		const build = `#!/bin/sh\nprintf '#!/bin/sh\\necho 42 > "$KAPSO_OUTPUTS_DIR/answer"\\n' > "$KAPSO_OUTPUTS_DIR/program"\nchmod +x "$KAPSO_OUTPUTS_DIR/program"\n`;

		const record = await scoreFiles(desk, { suite, candidate: { 'build.sh': { executable: build } } });
		const broken = await scoreFiles(desk, { suite, candidate: { 'build.sh': { executable: '#!/bin/sh\nexit 3\n' } } });

		expect(record).toMatchObject({ error: null, score: 42 });
		expect(record.phases.map(({ phase }) => phase)).toEqual(['build', 'run', 'score']);
		expect(broken).toMatchObject({ outcome: 'crashed', code: 'BUILD_FAILED', score: null });
	});

	it('runs a file of the candidate that a command names, unless the suite shows one of that name [CONTRACTS 1]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(
			scripted(
				{ run: '[sh, solve.sh, input.txt, -v]', files: '[input.txt]' },
				`cp "$KAPSO_OUTPUTS_DIR/r" "$KAPSO_RESULT_PATH"`,
				{
					'input.txt': '7',
				},
			),
		);
		const solve = `printf '{"schema_version":1,"valid":true,"score":%s}' "$(cat "$1")" > "$KAPSO_OUTPUTS_DIR/r"`;

		const record = await scoreFiles(desk, { suite, candidate: { 'solve.sh': solve, 'input.txt': '100' } });

		expect(record).toMatchObject({ error: null, score: 7 });
		expect(record.phases[0]!.argv).toEqual(['/usr/bin/sh', '/kapso/candidate/solve.sh', 'input.txt', '-v']);
	});

	it('measures every repeat from fresh folders and gives their mean [T088, T108]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(
			scripted(
				{ run: '[sh, run.sh]', files: '[run.sh]', more: 'repeats: 3\nmetrics: [left]' },
				`n=$(cat "$KAPSO_OUTPUTS_DIR/n"); printf '{"schema_version":1,"valid":true,"score":%s,"metrics":{"left":%s},"case_scores":[%s,1]}' $n $n $n > "$KAPSO_RESULT_PATH"`,
				{
					'run.sh':
						'echo x >> "$KAPSO_OUTPUTS_DIR/left"; echo x >> $HOME/left; echo x >> /tmp/left; cat $HOME/left /tmp/left "$KAPSO_OUTPUTS_DIR/left" | wc -l > "$KAPSO_OUTPUTS_DIR/n"',
				},
			),
		);

		const record = await scoreFiles(desk, { suite, candidate: {} });

		expect(record).toMatchObject({
			error: null,
			score: 3,
			scores: [3, 3, 3],
			metrics: { left: 3 },
			caseScores: [3, 1],
			cases: 2,
		});
		expect(record.notProven).not.toContain('single-measurement');
		expect(record.notProven).toContain('case-feedback');
		expect(record.phases).toHaveLength(6);
	});

	it('tells the scorer what was measured of the run from outside [T047, E43]', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(
			scripted(
				{ run: '[sh, run.sh]', files: '[run.sh]' },
				`printf '{"schema_version":1,"valid":true,"score":1,"feedback":%s}' "$(sed 's/["]/\\\\"/g; s/^/"/; s/$/"/' "$KAPSO_RUN_REPORT")" > "$KAPSO_RESULT_PATH"`,
				{ 'run.sh': 'sleep 0.4' },
			),
		);

		const report = JSON.parse((await scoreFiles(desk, { suite, candidate: {} })).feedback);

		expect(Object.keys(report)).toEqual(['schema_version', 'wall_seconds', 'cpu_seconds', 'peak_memory_bytes', 'exit']);
		expect(report.wall_seconds).toBeGreaterThan(0.39);
		expect(report.exit).toBe(0);
	});

	it('leaves the suite, the data and the candidate exactly as they were', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(squares);
		const before = await lstat(join(suite.root, 'score.mjs'), { bigint: true });

		await scoreFiles(desk, { suite, candidate: squaring });

		expect(
			await lstat(join(suite.root, 'score.mjs'), { bigint: true }).then((stat) => [stat.mtimeNs, stat.ctimeNs]),
		).toEqual([before.mtimeNs, before.ctimeNs]);
		expect((await readdir(suite.root)).sort()).toEqual(Object.keys(squares).sort());
	});

	it('scores Python suites and candidates with the system’s own interpreter', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(python);

		const record = await scoreFiles(desk, { suite, candidate: { 'solve.py': 'def solve(n):\n    return n * n\n' } });

		expect(record).toMatchObject({ error: null, score: 1, candidateIsolated: true });
		expect(record.phases[0]!.program.path).toMatch(/^\/usr\/bin\/python3/);
	});

	it('stops for the caller’s abort as an abort', async () => {
		await using desk = await openDesk();
		const suite = await desk.suite(
			scripted({ run: '[sh, run.sh]', files: '[run.sh]' }, 'true', { 'run.sh': 'sleep 30' }),
		);
		const started = performance.now();

		await expect(scoreFiles(desk, { suite, candidate: {}, signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
			name: 'TimeoutError',
		});

		expect(performance.now() - started).toBeLessThan(5000);
	});
});

export const python: Files = {
	'kapso.evaluation.yaml': `version: 1
run: {command: [python3, -I, driver.py], files: [driver.py, cases.json]}
score: {command: [python3, -I, -B, score.py]}
`,
	'driver.py': `import importlib.util, json, os
spec = importlib.util.spec_from_file_location('solve', os.environ['KAPSO_CANDIDATE_DIR'] + '/solve.py')
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
answers = [module.solve(n) for n in json.load(open('cases.json'))]
json.dump(answers, open(os.environ['KAPSO_OUTPUTS_DIR'] + '/answers.json', 'w'))
`,
	'score.py': `import json, os
cases = json.load(open('cases.json'))
answers = json.load(open(os.environ['KAPSO_OUTPUTS_DIR'] + '/answers.json'))
right = sum(type(a) is int and a == n * n for n, a in zip(cases, answers))
json.dump({'schema_version': 1, 'valid': True, 'score': right / len(cases)}, open(os.environ['KAPSO_RESULT_PATH'], 'w'))
`,
	'cases.json': '[2, 3, 4]',
};
