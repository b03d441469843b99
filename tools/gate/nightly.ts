// `npm run nightly`: the harnesses that take longer than a change may wait, one after the other, all of them even when
// one fails. The table below is the whole list.
import { join } from 'node:path';
import { runProgram } from './program.ts';

interface Harness {
	readonly name: string;
	/** What it shows, in one sentence. */
	readonly shows: string;
	readonly argv: readonly [string, ...string[]];
}

const harnesses: readonly Harness[] = [
	{
		name: 'kill-sweep',
		shows: 'a campaign killed at every durable step and at random instants ends as an unkilled one',
		argv: ['node', 'tools/kill-sweep/src/main.ts', '--kills', '300', '--json'],
	},
	{
		name: 'edit-sweep',
		shows: 'a byte changed anywhere in a finished campaign is found, or no claim rests on it',
		argv: ['node', 'tools/edit-sweep/src/main.ts', '--edits', '300', '--json'],
	},
	{
		name: 'fuzz workspace',
		shows: 'random repositories met by every operation lose no byte and no ref',
		argv: ['node', 'tools/fuzz/src/main.ts', 'workspace', '--cases', '2000', '--json'],
	},
	{
		name: 'fuzz plants',
		shows: 'each protection is missed when it is taken out',
		argv: ['node', 'tools/fuzz/src/main.ts', 'workspace', '--plant', 'all', '--json'],
	},
	{
		name: 'fuzz hostile',
		shows: 'fifty settings of Git change nothing, run nothing and stay as they are',
		argv: ['node', 'tools/fuzz/src/main.ts', 'hostile', '--json'],
	},
	{
		name: 'fuzz parallel',
		shows: 'four hundred worktrees at once are all exact, twice',
		argv: ['node', 'tools/fuzz/src/main.ts', 'parallel', '--json'],
	},
	{
		name: 'fuzz kills',
		shows: 'two hundred SIGKILLs leave nothing and lose nothing',
		argv: ['node', 'tools/fuzz/src/main.ts', 'kills', '--json'],
	},
	{
		name: 'fuzz zoo',
		shows: 'no wild program outlives its deadline by more than a second',
		argv: ['node', 'tools/fuzz/src/main.ts', 'zoo', '--json'],
	},
	{
		name: 'tamper',
		shows: 'of every known way to fake a score, in three languages, none succeeds; no honest candidate is rejected',
		argv: ['node', 'tools/tamper/src/main.ts', '--json'],
	},
	{
		name: 'tamper-suite-sealed',
		shows: 'where the scorer loads the candidate, exactly the tricks that need its process succeed, and are named',
		argv: ['node', 'tools/tamper/src/main.ts', '--level', 'suite-sealed', '--json'],
	},
	{
		name: 'tamper-unsealed',
		shows: 'without a sandbox every trick that succeeds is named in the record',
		argv: ['node', 'tools/tamper/src/main.ts', '--level', 'unsealed', '--json'],
	},
	{
		name: 'tamper-controls',
		shows: 'each defence lets something through when it alone is left out',
		argv: ['node', 'tools/tamper/src/main.ts', '--controls', '--json'],
	},
	{
		name: 'tamper-race',
		shows: 'the bytes that run are the bytes that were hashed, under a process that attacks the folder',
		argv: ['node', 'tools/tamper/src/main.ts', '--race', '2000', '--json'],
	},
	{
		name: 'corruption',
		shows: 'every damaged file of a campaign is named or repaired, and nothing begins afresh',
		argv: ['node', 'tools/corruption/src/main.ts', '--json'],
	},
	{
		name: 'legacy pickles',
		shows: 'a hundred thousand changed pickles are read or refused by name',
		argv: ['vitest', 'run', '--project', 'checkpoint', 'test/legacy.test.ts'],
	},
	{
		name: 'lanes and writers',
		shows: 'one, two and eight lanes make the same candidates, whatever dies in between; of two engines one runs',
		argv: ['vitest', 'run', '--project', 'engine', 'test/lanes.test.ts', 'test/one-writer.test.ts'],
	},
	{
		name: 'checkpoint benchmark',
		shows: 'saving stays beside writing the same bytes, and the ten thousandth candidate costs what the first did',
		argv: ['node', 'benchmarks/checkpoint/src/main.ts', '--json'],
	},
];

const root = join(import.meta.dirname, '..', '..');
let failed = 0;
for (const { name, shows, argv } of harnesses) {
	console.log(`== ${name}: ${shows}`);
	const { exitCode, milliseconds } = await runProgram({
		argv,
		cwd: root,
		show: 'always',
		environment: { KAPSO_NIGHTLY: '1' },
	});
	if (exitCode !== 0) failed++;
	console.log(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${name} (${milliseconds} ms)`);
}
if (harnesses.length === 0) console.log('no long harness is listed yet: nothing was run');
console.log(`${harnesses.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
