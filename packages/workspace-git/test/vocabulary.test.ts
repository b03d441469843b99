import { describe, expect, it } from 'vitest';
import { checkVocabulary } from '../src/git/vocabulary.ts';
import { linkProblem, pathProblems } from '../src/tree-policy.ts';

it.for([
	['clean', '-fdx'],
	['reset', '--hard'],
	['stash', '--all'],
	['push', 'origin', 'main'],
	['checkout', 'main'],
	['checkout', '--', '.'],
	['restore', '.'],
	['gc'],
	['prune'],
	['worktree', 'prune'],
	['worktree', 'move', 'a', 'b'],
	['worktree', 'remove', '--force', 'x'],
	['branch', '-D', 'main'],
	['branch', '-M', 'a', 'b'],
	['update-ref', '-d', 'refs/heads/main'],
	['symbolic-ref', '--delete', 'HEAD'],
	['switch', 'main'],
	['switch', '--no-overwrite-ignore', '--force', 'main'],
	['switch', '--no-overwrite-ignore', '--discard-changes', 'main'],
	['switch', '--no-overwrite-ignore', '-C', 'main'],
	['fetch', '--prune', 'x'],
	['fetch', '--force', 'x', 'a:b'],
	['read-tree', '-m', '-u', 'HEAD'],
	['read-tree', '--reset', 'HEAD'],
	['checkout-index', '--force', '--all'],
	['config', 'user.name', 'x'],
	['rm', 'a'],
	['pull'],
	['rebase', 'main'],
	['filter-branch'],
	[],
])('never says git %j [M101, G01, G14, G43, E51, RN02]', (argv) => {
	expect(() => checkVocabulary(argv, undefined)).toThrow(/does not run git/);
});

it('overwrites only with a reason', () => {
	checkVocabulary(['read-tree', '-m', '-u', 'HEAD'], 'an empty folder of ours');
	checkVocabulary(['switch', '--no-overwrite-ignore', 'main'], undefined);
	expect(() => checkVocabulary(['clean', '-fdx'], 'any reason')).toThrow();
});

describe('names', () => {
	const reason = (path: string, mode = '100644') =>
		pathProblems([{ path: Buffer.from(path).toString('latin1'), mode }])[0]?.reason ?? null;

	it.for([
		'.git/x',
		'.GIT/x',
		'a/.Git',
		'.git.',
		'.git ',
		'git~1',
		'GIT~2/x',
		'.git::$DATA',
		'.g\u200dit/x',
		'.gi\ufefft',
	])('%j looks like .git somewhere', (path) => {
		expect(reason(path)).toMatch(/\.git/);
	});

	it.for([
		'.gitignore',
		'.gitattributes',
		'.github/x',
		'git',
		'agit~1',
		'.gitx',
		'ü',
		'-dash',
		':colon',
		'a b',
		'日本',
	])('%j is fine', (path) => {
		expect(reason(path)).toBeNull();
	});

	it('have bounds, no control characters and known modes', () => {
		expect(reason('x'.repeat(256))).toMatch(/255/);
		expect(reason('x'.repeat(255))).toBeNull();
		expect(reason('a\tb')).toMatch(/control/);
		expect(reason('a/../b')).toMatch(/component/);
		expect(reason('sub', '160000')).toMatch(/gitlink/);
		expect(reason('sub', '100664')).toMatch(/mode/);
		expect(pathProblems([{ path: '\xff', mode: '100644' }])[0]!.reason).toMatch(/UTF-8/);
	});
});

it.for([
	['a', 'b', null],
	['d/a', '../b', null],
	['d/a', '../../b', 'leaves'],
	['a', '/etc/passwd', 'link to'],
	['a', '', 'nothing'],
	['d/e/a', './../x/../../b', null],
	['a', 'd/../../b', 'leaves'],
	['a', '.git/config', '.git'],
] as const)('a link at %s to %s', ([path, target, expected]) => {
	if (expected === null) expect(linkProblem(path, target)).toBeNull();
	else expect(linkProblem(path, target)).toContain(expected);
});
