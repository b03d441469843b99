import { describe, expect, it } from 'vitest';
import type { EvaluationRecord } from '../src/index.ts';
import { type Desk, type Files, hasSandbox, openDesk, scoreFiles, scripted, skipReason, squares } from './fixtures.ts';

/** A candidate that is right once in three, and tries something before it answers. */
const trickster = (before: string): Files => ({
	'package.json': '{"type":"module"}',
	'solve.js': `${before}\nexport const solve = (n) => n + n;\n`,
});
const honestScore = 1 / 3;

async function attempt(candidate: Files, suite: Files = squares): Promise<EvaluationRecord> {
	await using desk: Desk = await openDesk();
	return await scoreFiles(desk, { suite: await desk.suite(suite), candidate });
}

describe.skipIf(!hasSandbox)(`a candidate’s trick has no effect on a sealed score${skipReason}`, () => {
	it.each<[string, string]>([
		[
			'replaces checkers and parsers [T038]',
			`JSON.stringify = () => '[4,9,16]'; Array.prototype.filter = () => [1, 1, 1];`,
		],
		['patches assert [T039]', `import assert from 'node:assert'; assert.equal = assert.deepEqual = () => {};`],
		[
			'prints what a result looks like [T043]',
			`console.log('{"schema_version":1,"valid":true,"score":1}'); console.log('PASSED');`,
		],
		[
			'writes the result itself [T088]',
			`import { writeFileSync as w } from 'node:fs'; for (const p of ['/kapso/result/result.json', process.env.KAPSO_OUTPUTS_DIR + '/result.json', '/tmp/result.json']) try { w(p, '{"schema_version":1,"valid":true,"score":1}'); } catch {}`,
		],
		[
			'rewrites the suite [T078]',
			`import { writeFileSync as w } from 'node:fs'; for (const p of ['/kapso/suite/score.mjs', '/kapso/inputs/cases.json', '/kapso/suite/cases.json']) try { w(p, '[2, 2, 2]'); } catch {}`,
		],
		[
			'leaves a process that rewrites later [T079, T084]',
			`import { spawn } from 'node:child_process'; spawn('setsid', ['sh', '-c', 'sleep 0.1; while :; do echo "[4,9,16]" > $KAPSO_OUTPUTS_DIR/answers.json; done'], { detached: true, stdio: 'ignore' }).unref();`,
		],
		[
			'leaves files in shared places [T036, T083, T106]',
			`import { writeFileSync as w } from 'node:fs'; for (const p of ['/tmp/cases.json', process.env.HOME + '/.npmrc', process.env.HOME + '/.bashrc', '/dev/shm/x']) try { w(p, '[2]'); } catch {}`,
		],
		['patches the clock [T047, E43]', `performance.now = Date.now = () => 0; process.hrtime.bigint = () => 0n;`],
		[
			'looks for the network [T032, T101]',
			`import net from 'node:net'; await new Promise((r) => net.connect(80, '127.0.0.1').on('error', r).on('connect', () => process.exit(9)));`,
		],
		[
			'mutates its inputs [T051]',
			`Array.prototype.map = function (f) { this.length = 0; return [4, 9, 16].length ? [...[2,3,4]].reduce((a, n) => (a.push(f(n)), a), []) : []; };`,
		],
	])('%s', async (_, before) => {
		const record = await attempt(trickster(before));
		expect(record.error).toBeNull();
		// T038 may answer rightly in its own name, which is being better: all else must be exactly honest.
		expect(record.score).toBeCloseTo(before.startsWith('JSON.stringify') ? 1 : honestScore);
	});

	it.each<[string, string, string]>([
		['exits with 0 before it answers [T040]', 'process.exit(0);', 'SCORER_CRASH'],
		[
			'exits with 0 after a forged line [T040, E48]',
			`console.log('score 1'); process.kill(process.pid, 'SIGKILL');`,
			'RUN_CRASHED',
		],
		['throws at import [T041]', `throw new Error('SkipTest');`, 'RUN_CRASHED'],
	])('%s: no score', async (_, before, code) => {
		expect(await attempt(trickster(before))).toMatchObject({ score: null, code });
	});

	it('answers with objects that pretend to be equal to everything: they arrive as plain data [T044]', async () => {
		const record = await attempt({
			'package.json': '{"type":"module"}',
			'solve.js':
				'export const solve = () => ({ valueOf: () => 4, toJSON: undefined, [Symbol.toPrimitive]: () => 4 });',
		});
		expect(record).toMatchObject({ error: null, score: 0 });
	});

	it.each<[string, string]>([
		['NODE_OPTIONS and loaders of its own [T023, T024]', '.npmrc'],
		['a shadowed module of the suite [T021, T022, T027]', 'node_modules/fs/index.js'],
		['package settings [T029]', 'tsconfig.json'],
		['an environment file [T023]', '.env'],
	])('brings %s: the scorer never sees them', async (_, path) => {
		const record = await attempt({
			...trickster(''),
			[path]: 'node-options=--require ./evil.cjs',
			'evil.cjs': 'process.exit(0)',
		});
		expect(record.error).toBeNull();
		expect(record.score).toBeCloseTo(honestScore);
	});
});

describe.skipIf(!hasSandbox)(`outputs that are no plain bytes${skipReason}`, () => {
	const outputs = (script: string, limits = ''): Files =>
		scripted(
			{ run: '[sh, run.sh]', files: '[run.sh]', more: `limits: {output_mb: 1, output_files: 20${limits}}` },
			`cat "$KAPSO_OUTPUTS_DIR"/* > /dev/null; printf '{"schema_version":1,"valid":true,"score":1}' > "$KAPSO_RESULT_PATH"`,
			{ 'run.sh': `cd "$KAPSO_OUTPUTS_DIR"; ${script}` },
		);

	it.each([
		['a link into the suite', 'ln -s /kapso/suite/score.sh answers', 'answers', /a link/],
		['a link to a folder', 'ln -s / all', 'all', /a link/],
		['a link deep in a folder', 'mkdir -p a/b; ln -s ../.. a/b/c', 'a/b/c', /a link/],
		['a hard link', 'echo x > one; ln one two', expect.stringMatching(/one|two/), /hard link/],
		['a pipe', 'mkfifo answers', 'answers', /pipe/],
		['a sparse bomb', 'truncate -s 900M answers', 'answers', /more than 1048576 bytes/],
		['more bytes than allowed', 'head -c 1200000 /dev/zero > answers', 'answers', /more than 1048576 bytes/],
		['more files than allowed', 'for i in $(seq 25); do : > f$i; done', expect.anything(), /more than 20/],
		['a name that is not UTF-8', `touch "$(printf 'a\\377b')"`, expect.anything(), /UTF-8/],
	])('%s [T133]', async (_, script, path, reason) => {
		const record = await attempt({}, outputs(script));
		expect(record).toMatchObject({ outcome: 'invalid', code: 'OUTPUT_KIND', score: null });
		expect(record.error).toMatch(reason);
		if (typeof path === 'string') expect(record.error).toContain(JSON.stringify(path));
	});

	it('a socket and a device', async () => {
		const socket = `/kapso/bin/node -e 'require("net").createServer().listen("s", () => process.kill(process.pid, "SIGKILL"))' ; true`;
		expect(await attempt({}, outputs(socket))).toMatchObject({ outcome: 'invalid', code: 'OUTPUT_KIND' });
		expect(await attempt({}, outputs('mknod null c 1 3'))).toMatchObject({ outcome: 'crashed', code: 'RUN_CRASHED' });
	});

	it('honest files and folders pass, executable ones too', async () => {
		const honest = 'mkdir -p deep/er; echo 1 > deep/er/file; echo 2 > größe.txt; cp /bin/true tool; : > empty';
		expect(await attempt({}, outputs(honest))).toMatchObject({ outcome: 'scored', score: 1 });
	});
});

describe.skipIf(!hasSandbox)(`limits${skipReason}`, () => {
	const limited = (script: string, limits: string, timeout = 20): Files => ({
		'kapso.evaluation.yaml': `version: 1
run: {command: [sh, run.sh], files: [run.sh], timeout_seconds: ${timeout}}
score: {command: [sh, score.sh]}
limits: {${limits}}
`,
		'run.sh': script,
		'score.sh': `printf '{"schema_version":1,"valid":true,"score":1}' > "$KAPSO_RESULT_PATH"`,
	});

	it.each([
		[
			'memory',
			limited(`exec /kapso/bin/node -e 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1));'`, 'memory_mb: 200'),
			'LIMIT_MEMORY',
		],
		['processes', limited('for i in 1 2 3 4 5 6 7 8 9 10; do sleep 5 & done; wait', 'processes: 5'), 'LIMIT_PROCESSES'],
		['processor time', limited('while :; do :; done', 'cpu_seconds: 1'), 'LIMIT_CPU'],
		[
			'disk',
			limited(
				'cd "$KAPSO_OUTPUTS_DIR"; while :; do head -c 1000000 /dev/zero >> "$$-$(date +%N)"; done',
				'output_mb: 4',
			),
			'LIMIT_OUTPUT',
		],
		[
			'files',
			limited('cd "$KAPSO_OUTPUTS_DIR"; i=0; while :; do i=$((i+1)); : > $i; done', 'output_files: 100'),
			'LIMIT_OUTPUT',
		],
	])('a run that takes too much %s is stopped and gets no score [T086]', async (_, suite, code) => {
		expect(await attempt({}, suite)).toMatchObject({ outcome: 'crashed', code, score: null });
	});

	it('a flood on stdout is drained and kept short [T086]', async () => {
		const record = await attempt({}, limited('head -c 20000000 /dev/zero | tr "\\0" x; echo; echo end', ''));
		expect(record.outcome).toBe('scored');
		expect(record.phases[0]!.stdout.length).toBeLessThanOrEqual(8192);
		expect(record.phases[0]!.stdout).toMatch(/end\n$/);
	});

	it('a run that takes too long has timed out [D24]', async () => {
		expect(await attempt({}, limited('sleep 60', '', 0.3))).toMatchObject({
			outcome: 'timed-out',
			code: 'RUN_TIMED_OUT',
		});
	});
});
