import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepository, git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { type Situation, situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

/** One small campaign from a seed; what it made, as ids: equal whatever the machine is set to. */
async function campaign(s: Situation, environment: Readonly<Record<string, string>>): Promise<unknown> {
	const seed = join(s.folder, 'seed');
	await createRepository(seed, { '.gitignore': '*.log\n', 'a.txt': 'a\r\nb\n', 'b.sh': { executable: 'x' } }, 'trunk');
	const userEnvironment = { PATH: process.env.PATH!, ...environment };
	const workspace = await s.open({ seed, userEnvironment });
	const main = await workspace.commitFiles({
		files: [{ path: 'kapso_evaluation/s.py', mode: '100644', bytes: Buffer.from('s\r\n') }],
		replaceFolders: [],
		message: 'Suite',
	});
	const made = await candidate(s, workspace, {
		branch: 'generic_exp_0',
		parent: main,
		files: { 'a.txt': 'c\r\n', 'excluded.tmp': 'kept\n', 'new.py': 'n\n' },
	});
	await using tree = await workspace.materialize(made.commit);
	const files = await readFiles(tree.path, (path) => path === '.git');
	await workspace.checkout('generic_exp_0');
	const root = await readFiles(s.output, (path) => path === '.git');
	const { objects } = workspace;
	const trees = [(await objects.readCommit(main)).tree, (await objects.readCommit(made.commit)).tree];
	return { trees, digest: made.treeDigest, files, root, diff: await workspace.diff(main, made.commit) };
}

it('makes the same campaign under hostile user settings, runs no hook and writes none of them [T062, T070, D9, E49, G19]', async () => {
	await using plain = await situation();
	const expected = await campaign(plain, { HOME: join(plain.folder, 'nobody') });

	await using s = await situation();
	const home = join(s.folder, 'home');
	const ran = join(s.folder, 'ran');
	const script = { executable: `#!/bin/sh\ntouch '${ran}'\nexit 1\n` };
	const hooks = [
		'pre-commit',
		'post-checkout',
		'reference-transaction',
		'commit-msg',
		'post-index-change',
		'pre-auto-gc',
	];
	await writeFiles(home, Object.fromEntries(hooks.map((hook) => [`hooks/${hook}`, script])));
	await writeFiles(home, Object.fromEntries(hooks.map((hook) => [`template/hooks/${hook}`, script])));
	await writeFiles(home, {
		evil: script,
		ignore: '*.tmp\n*.py\n',
		attributes: '* text eol=crlf filter=evil diff=evil\n',
		'.config/git/ignore': '*\n',
		'.config/git/attributes': '* text eol=crlf\n',
		'.gitconfig': `[core]
	hooksPath = ${home}/hooks
	fsmonitor = ${home}/evil
	autocrlf = true
	eol = crlf
	safecrlf = true
	excludesFile = ${home}/ignore
	attributesFile = ${home}/attributes
	fileMode = false
	symlinks = false
	ignoreCase = true
	pager = ${home}/evil
	editor = ${home}/evil
	sshCommand = ${home}/evil
	quotePath = true
	untrackedCache = true
	splitIndex = true
	sparseCheckout = true
	worktree = /nowhere
	trustctime = false
	checkStat = minimal
	commitGraph = true
[init]
	templateDir = ${home}/template
	defaultBranch = dev
[commit]
	gpgSign = true
	template = ${home}/evil
[tag]
	gpgSign = true
[gpg]
	program = ${home}/evil
[filter "evil"]
	clean = '${home}/evil'
	smudge = '${home}/evil'
	required = true
[diff]
	external = ${home}/evil
	noprefix = true
	renames = false
	algorithm = patience
[diff "evil"]
	textconv = ${home}/evil
[color]
	ui = always
[status]
	showUntrackedFiles = no
	short = true
[index]
	version = 4
[feature]
	manyFiles = true
[clone]
	defaultRemoteName = upstream
	rejectShallow = true
[transfer]
	fsckObjects = true
	hideRefs = refs/heads
[protocol]
	allow = never
	version = 0
[user]
	useConfigOnly = true
[alias]
	add = !${home}/evil
	ls-files = !${home}/evil
[gc]
	auto = 1
[url "/nowhere/"]
	insteadOf = /
[checkout]
	guess = true
	defaultRemote = x
[i18n]
	commitEncoding = UTF-16
[log]
	showSignature = true
[fetch]
	prune = true
[advice]
	detachedHead = true
`,
	});
	const before = await readFiles(home);
	const outside = join(s.folder, 'outside');
	await createRepository(outside, { 'x.txt': 'x' });
	const outsideBefore = await readFiles(outside);
	const actual = await campaign(s, {
		HOME: home,
		XDG_CONFIG_HOME: join(home, '.config'),
		GIT_DIR: join(outside, '.git'),
		GIT_WORK_TREE: outside,
		GIT_INDEX_FILE: join(outside, '.git/index'),
		GIT_OBJECT_DIRECTORY: join(outside, '.git/objects'),
		GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
		GIT_CONFIG_COUNT: '1',
		GIT_CONFIG_KEY_0: 'core.hooksPath',
		GIT_CONFIG_VALUE_0: join(home, 'hooks'),
		GIT_TEMPLATE_DIR: join(home, 'template'),
		GIT_EXTERNAL_DIFF: join(home, 'evil'),
		GIT_PAGER: join(home, 'evil'),
		GIT_EDITOR: join(home, 'evil'),
		GIT_NAMESPACE: 'elsewhere',
		GIT_CEILING_DIRECTORIES: '/',
		GIT_ATTR_SOURCE: 'HEAD',
		GIT_LITERAL_PATHSPECS: '1',
		GIT_TRACE: join(s.folder, 'trace'),
		LC_ALL: 'de_DE.UTF-8',
		LANGUAGE: 'de',
	});
	expect(actual).toEqual(expected);
	expect(existsSync(ran)).toBe(false);
	expect(existsSync(join(s.folder, 'trace'))).toBe(false);
	expect(await readFiles(home)).toEqual(before);
	expect(await readFiles(outside)).toEqual(outsideBefore);
	expect(existsSync(join(s.output, '.git/hooks'))).toBe(false);
});

it('keeps the user’s settings for reading a URL seed, and only there', async () => {
	await using s = await situation();
	const home = join(s.folder, 'home');
	await createRepository(join(s.folder, 'real'), { 'a.txt': 'a' });
	await writeFiles(home, {
		'.gitconfig': `[url "file://${encodeURI(s.folder)}/"]\n\tinsteadOf = https://example.invalid/\n`,
	});
	const workspace = await s.open({
		seed: 'https://someone:secret@example.invalid/real'.replace('someone:secret@', ''),
		userEnvironment: { PATH: process.env.PATH!, HOME: home },
	});
	expect(workspace.seed.kind).toBe('url');
	expect(await readFile(join(s.output, 'a.txt'), 'utf8')).toBe('a');
	expect(await git(s.output, 'remote')).toBe('');
	expect(await readFile(join(s.output, '.git/config'), 'utf8')).not.toContain('example.invalid');
});

it('reads a seed of another owner without touching anyone’s settings', async (context) => {
	if (process.getuid?.() !== 0) context.skip('only root can give a folder to someone else');
	await using s = await situation();
	const seed = join(s.folder, 'seed');
	await createRepository(seed, { 'a.txt': 'a' });
	const { execFileSync } = await import('node:child_process');
	execFileSync('chown', ['-R', '12345:12345', seed]);
	const workspace = await s.open({ seed });
	expect(workspace.seed.kind).toBe('repository');
});

it('works when the campaign’s own repository was given settings and hooks by its user', async () => {
	await using s = await situation();
	const first = await s.open();
	await first.close();
	const ran = join(s.folder, 'ran');
	await mkdir(join(s.output, '.git/hooks'), { recursive: true });
	for (const hook of ['reference-transaction', 'post-checkout', 'pre-commit']) {
		await writeFiles(s.output, { [`.git/hooks/${hook}`]: { executable: `#!/bin/sh\ntouch '${ran}'\nexit 1\n` } });
	}
	await git(s.output, 'config', 'commit.gpgSign', 'true');
	await git(s.output, 'config', 'core.autocrlf', 'true');
	await git(s.output, 'config', 'user.name', 'Someone');
	const config = await readFile(join(s.output, '.git/config'));
	await rm(join(s.output, '.git/info/exclude'));
	await writeFile(join(s.output, '.git/info/attributes'), '*.txt text');
	const workspace = await s.open();
	await candidate(s, workspace, { branch: 'generic_exp_0', files: { 'a.txt': 'a\r\n' } });
	await workspace.checkout('generic_exp_0');
	expect(await readFile(join(s.output, 'a.txt'), 'utf8')).toBe('a\r\n');
	expect(existsSync(ran)).toBe(false);
	expect(await readFile(join(s.output, '.git/config'))).toEqual(config);
	expect(await readFile(join(s.output, '.git/info/attributes'), 'utf8')).toMatch(/^\*\.txt text\n\* -text/);
});
