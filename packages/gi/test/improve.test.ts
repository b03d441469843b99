import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFiles, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { type Improvement, improve } from '../src/improve.ts';
import type { TryAnswer } from '../src/try-command.ts';
import { openTunableFolder } from '../src/tunable-folder.ts';

const bowl = `# EVOLVE-BLOCK-START
rate = 0.5
size = 8
scale = 3.0
# EVOLVE-BLOCK-END
other = 7
`;

/** Best, 0, at rate 0.9, size 40, scale 0.2. */
function bowlScore(text: string): number {
	const number = (name: string) => Number(new RegExp(`^${name} = (.*)$`, 'm').exec(text)![1]);
	const logit = (value: number) => Math.log(value / (1 - value));
	return -(
		(logit(number('rate')) - logit(0.9)) ** 2 +
		Math.log(number('size') / 40) ** 2 +
		Math.log(number('scale') / 0.2) ** 2
	);
}

interface Run extends Improvement {
	readonly text: string;
	readonly tried: readonly string[];
}

/** Improves `a.py` with an evaluator of its text; every text that was tried is kept. */
async function improveText(
	original: string,
	judge: (text: string, trial: number) => number | null | Partial<TryAnswer>,
	options: { seed?: number; trials?: number; signal?: AbortSignal } = {},
): Promise<Run> {
	await using folder = await temporaryFolder();
	await writeFiles(folder.path, { 'a.py': original });
	const read = () => readFile(join(folder.path, 'a.py'), 'utf8');
	const tried: string[] = [];
	const improvement = await improve({
		seed: 1,
		trials: 120,
		...options,
		folder: await openTunableFolder(folder.path),
		attempt: async () => {
			const text = await read();
			tried.push(text);
			const judged = judge(text, tried.length);
			const answer = { status: 'answered', outcome: 'scored', objective: 'maximize', feedback: '', remaining: null };
			const given = judged === null || typeof judged === 'number' ? { score: judged } : judged;
			return { ...answer, ...given } as TryAnswer;
		},
	});
	return { ...improvement, text: await read(), tried };
}

it('walks down a bowl and leaves the best text that it measured', async () => {
	const run = await improveText(bowl, bowlScore);
	expect(run.before).toBeCloseTo(bowlScore(bowl));
	expect(run.after).toBe(bowlScore(run.text));
	expect(run.after).toBe(Math.max(...run.tried.map(bowlScore)));
	expect(run.after).toBeGreaterThan(-0.1);
	expect(run).toMatchObject({ improved: true, trials: 120, trouble: null });
	expect(run.text).toMatch(/^size = \d+$/m);
	expect(run.text).toMatch(/^other = 7$/m);
	expect(run.changes.map(({ line, from }) => [line, from])).toEqual([
		[2, '0.5'],
		[3, '8'],
		[4, '3.0'],
	]);
});

it('the same seed and answers give the same trials and bytes, another seed explores elsewhere', async () => {
	const [first, again, other] = await Promise.all([
		improveText(bowl, bowlScore, { seed: 5, trials: 40 }),
		improveText(bowl, bowlScore, { seed: 5, trials: 40 }),
		improveText(bowl, bowlScore, { seed: 6, trials: 40 }),
	]);
	expect(again).toEqual(first);
	expect(other.tried.filter((text) => first.tried.includes(text))).toEqual([bowl]);
});

it('follows an objective that is to be minimised', async () => {
	const run = await improveText(bowl, (text) => ({ score: -bowlScore(text), objective: 'minimize' }));
	expect(run.after!).toBeLessThan(0.1);
	expect(run.improved).toBe(true);
});

it('tries no text twice, and stops by itself once a small space is searched', async () => {
	const run = await improveText('a = 3  # tune: int 1..6\n', (text) => (text.includes('a = 5') ? 1 : 0));
	expect(run.text).toBe('a = 5  # tune: int 1..6\n');
	expect(run.tried.length).toBe(new Set(run.tried).size);
	expect(run.tried.length).toBeLessThanOrEqual(6);
});

it('keeps a later text that is as good, and says that it is no gain', async () => {
	const run = await improveText(bowl, () => 1, { trials: 10 });
	expect(run).toMatchObject({ improved: false, before: 1, after: 1, text: run.tried.at(-1) });
	expect(run.changes.length).toBeGreaterThan(0);
});

it('leaves the original, byte for byte, when everything else is worse', async () => {
	const crlf = bowl.replaceAll('\n', '\r\n');
	const run = await improveText(crlf, (text) => (text === crlf ? 1 : 0), { trials: 20 });
	expect(run).toMatchObject({ improved: false, changes: [], before: 1, after: 1, text: crlf, trials: 20 });
});

it('counts a crash, an infinite score and a silent command as worst', async () => {
	const judge = (text: string, trial: number) => {
		if (trial % 5 === 2) return null;
		if (trial % 5 === 3) return Number.POSITIVE_INFINITY;
		if (trial % 5 === 4) return { status: 'no-answer', reason: 'it fell over' } as const;
		return bowlScore(text);
	};
	const run = await improveText(bowl, judge);
	expect(run).toMatchObject({ improved: true, trials: 120, trouble: null });
	expect(run.after).toBe(bowlScore(run.text));
});

it('leaves the original when nothing gets a score', async () => {
	const run = await improveText(bowl, () => null, { trials: 15 });
	expect(run).toMatchObject({ improved: false, before: null, after: null, changes: [], text: bowl, trials: 15 });
});

it('gives up after three calls without an answer, with the reason', async () => {
	const run = await improveText(bowl, () => ({ status: 'no-answer', reason: 'no such program' }));
	expect(run).toMatchObject({ trials: 3, trouble: 'no such program', changes: [], text: bowl });
});

it('repairs a program whose original crashes', async () => {
	const run = await improveText(bowl, (text) => (text === bowl ? null : bowlScore(text)), { trials: 30 });
	expect(run).toMatchObject({ improved: true, before: null });
});

it('ends with the engine’s trial budget, whether it is refused or counted down', async () => {
	const refused = await improveText(bowl, (text, trial) => (trial > 7 ? { status: 'ended' } : bowlScore(text)));
	expect(refused.trials).toBe(7);
	expect(refused.after).toBe(bowlScore(refused.text));
	const counted = await improveText(bowl, (text, trial) => ({ score: bowlScore(text), remaining: 9 - trial }));
	expect(counted.trials).toBe(9);
});

it('an abort leaves the best text so far in the files', async () => {
	const controller = new AbortController();
	const judge = (text: string, trial: number) => {
		if (trial < 25) return bowlScore(text);
		controller.abort();
		return { status: 'ended' } as const;
	};
	const run = await improveText(bowl, judge, { signal: controller.signal });
	expect(run.tried.length).toBe(25);
	expect(run.text).not.toBe(run.tried.at(-1));
	expect(run.after).toBe(bowlScore(run.text));
});

it('touches only files with marked numbers, and nothing in hidden, installed or suite folders', async () => {
	const marked = 'x = 2  # tune:\n';
	await using folder = await temporaryFolder();
	const files = {
		'src/b.py': { executable: marked },
		'src/plain.py': 'x = 2\n',
		'latin.py': Buffer.from('x = 2  # tune:\n# caf\xe9\n', 'latin1'),
		'.git/hooks/a.py': marked,
		'node_modules/a/a.py': marked,
		'kapso_evaluation/a.py': marked,
		'kapso_datasets/a.py': marked,
		'linked.py': { link: 'src/b.py' },
	};
	await writeFiles(folder.path, files);
	const before = await readFiles(folder.path);
	const opened = await openTunableFolder(folder.path);
	expect(opened.tunables.map(({ path }) => path)).toEqual(['src/b.py']);
	await opened.write(['5']);
	const mode = before['src/b.py']!.slice(0, 3);
	expect(await readFiles(folder.path)).toEqual({ ...before, 'src/b.py': `${mode} x = 5  # tune:\n` });
});

it('a sign that comes or goes joins nothing', async () => {
	await using folder = await temporaryFolder();
	await writeFiles(folder.path, { 'a.js': 'x = a -/* tune: -9..9 */0.5; y = a-0.5; /* tune: -9..9 */ return-3;\n' });
	const opened = await openTunableFolder(folder.path);
	expect(opened.tunables.map(({ text }) => text)).toEqual(['0.5', '-3']);
	await opened.write(['-0.25', '4']);
	expect(await readFile(join(folder.path, 'a.js'), 'utf8')).toBe(
		'x = a -/* tune: -9..9 */-0.25; y = a-0.5; /* tune: -9..9 */ return 4;\n',
	);
});
