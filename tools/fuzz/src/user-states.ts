import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Dice } from './dice.ts';
import { at, exists, isFolder, type Path, put, read, remove } from './files.ts';
import { git, plainGit } from './plain-git.ts';
import { candidatePaths, mainFiles, oddPaths } from './trees.ts';
import type { World } from './world.ts';

interface Situation {
	readonly world: World;
	readonly root: string;
	readonly dice: Dice;
	/** Paths in which the coming switch will differ, so that states and switches meet. */
	readonly focus: readonly Path[];
}

const tracked = [...mainFiles.keys()];
const tricky = [...candidatePaths, ...candidatePaths, ...oddPaths, 'mine.txt', 'mine/deep.txt', 'mine.log'];
/** Half of the time one that the coming switch touches. */
function near(paths: readonly Path[], focus: readonly Path[], dice: Dice): readonly Path[] {
	const touched = paths === tracked ? focus.filter((path) => mainFiles.has(path)) : focus;
	return touched.length > 0 && dice.chance(0.6) ? touched : paths;
}
const gitFile = (root: string, path: string, text: string) => {
	mkdirSync(dirname(join(root, '.git', path)), { recursive: true });
	writeFileSync(join(root, '.git', path), text);
};
const configure = (root: string, ...settings: readonly [string, string][]) =>
	Promise.all(settings.map(([name, value]) => execFileSync('git', ['-C', root, 'config', name, value])));
const stage = (root: string, path: Path, ...flags: string[]) =>
	plainGit(root, ['add', ...flags, '--pathspec-from-file=-', '--pathspec-file-nul'], `:(literal)${path}\0`);
const edit = (root: string, path: Path, text: string) => put(root, path, `100644 ${text}`);
const merge = (root: string, branch: string) =>
	plainGit(root, [
		'-c',
		'merge.conflictStyle=merge',
		'merge',
		'--quiet',
		'--no-edit',
		'--allow-unrelated-histories',
		branch,
	]);

/** What a user, or whatever runs in their name, does to a work tree and its repository. */
export const userStates: Readonly<Record<string, (s: Situation) => unknown>> = {
	'edits a tracked file': ({ root, dice, focus }) => edit(root, dice.pick(near(tracked, focus, dice)), dice.text()),
	'edits a file, keeping its size and times, just after Git looked': async ({ root, dice, focus }) => {
		const path = dice.pick(near(tracked, focus, dice));
		const content = read(root, path);
		if (!content?.startsWith('100644') || content.length < 8) return;
		const old = 1_600_000_000;
		utimesSync(at(root, path), old, old);
		await plainGit(root, ['update-index', '--refresh']);
		writeFileSync(at(root, path), Buffer.from('#'.repeat(content.length - 7), 'latin1'));
		utimesSync(at(root, path), old, old);
	},
	'stages an edit': ({ root, dice, focus }) => {
		const path = dice.pick(near(tracked, focus, dice));
		edit(root, path, dice.text());
		return stage(root, path);
	},
	'stages an edit and edits again': async ({ root, dice, focus }) => {
		const path = dice.pick(near(tracked, focus, dice));
		edit(root, path, dice.text());
		await stage(root, path);
		edit(root, path, dice.text());
	},
	'stages an edit and puts the old bytes back': async ({ root, dice, focus }) => {
		const path = dice.pick(near(tracked, focus, dice));
		edit(root, path, dice.text());
		await stage(root, path);
		put(root, path, mainFiles.get(path)!);
	},
	'stages a new file': ({ root, dice, focus }) => {
		const path = dice.pick(near(tricky, focus, dice));
		edit(root, path, dice.text());
		return stage(root, path, '--force');
	},
	'stages a new file and deletes it': async ({ root, dice, focus }) => {
		const path = dice.pick(near(tricky, focus, dice));
		edit(root, path, dice.text());
		await stage(root, path, '--force');
		remove(root, path);
	},
	'intends to add a file': ({ root, dice, focus }) => {
		const path = dice.pick(near(tricky, focus, dice));
		edit(root, path, dice.text());
		return stage(root, path, '--force', '--intent-to-add');
	},
	'leaves an untracked file': ({ root, dice, focus }) => edit(root, dice.pick(near(tricky, focus, dice)), dice.text()),
	'leaves an untracked file that is as the candidate has it': async ({ world, root, dice }) => {
		const files = await world.oracle.files(dice.pick([...world.branches.values()]));
		const [path, content] = dice.pick([...files]);
		if (!exists(root, path)) put(root, path, content);
	},
	'leaves an ignored file': ({ root, dice }) =>
		edit(root, dice.pick(['out.log', 'new/trace.log', 'cache/entry', '.env', 'cache/mine']), dice.text()),
	'leaves an ignored folder': ({ root, dice }) =>
		edit(root, `${dice.pick(['out.log', '.env', 'cache/entry', 'new/trace.log'])}/in/side.txt`, dice.text()),
	'ignores what a candidate has and leaves it': ({ root, dice }) => {
		const path = dice.pick(candidatePaths.filter((one) => !/[*:"]/.test(one) && !mainFiles.has(one)));
		gitFile(root, 'info/exclude', `/${Buffer.from(path, 'latin1')}\n`);
		edit(root, path, dice.text());
	},
	'deletes a tracked file': ({ root, dice, focus }) => remove(root, dice.pick(near(tracked, focus, dice))),
	'deletes a tracked folder': ({ root, dice }) => remove(root, dice.pick(['dir', 'folder', 'dir/sub'])),
	'stages a deletion': ({ root, dice, focus }) =>
		plainGit(root, ['rm', '--quiet', '-f', '--', `:(literal)${dice.pick(near(tracked, focus, dice))}`]),
	'untracks a file': ({ root, dice, focus }) =>
		plainGit(root, ['rm', '--quiet', '-f', '--cached', '--', `:(literal)${dice.pick(near(tracked, focus, dice))}`]),
	'changes a mode': ({ root, dice, focus }) => {
		const path = dice.pick(near(tracked, focus, dice));
		if (read(root, path)?.startsWith('100644')) chmodSync(at(root, path), 0o755);
	},
	'replaces a file by a folder': ({ root, dice }) =>
		edit(root, `${dice.pick(['swap', 'a.txt', 'link'])}/mine.txt`, dice.text()),
	'replaces a folder by a file': ({ root, dice }) => edit(root, dice.pick(['dir', 'folder', 'dir/sub']), dice.text()),
	'replaces a folder by a link': ({ world, root, dice }) =>
		put(root, dice.pick(['dir', 'folder', 'new', 'dir/sub']), `120000 ${Buffer.from(world.canary).toString('latin1')}`),
	'moves a folder and links to it': ({ root }) => {
		if (!lstatSync(join(root, 'dir'), { throwIfNoEntry: false })?.isDirectory()) return;
		execFileSync('mv', [join(root, 'dir'), join(root, 'moved')]);
		put(root, 'dir', '120000 moved');
	},
	'replaces a file by a link': ({ root, dice, focus }) =>
		put(root, dice.pick(near(tracked, focus, dice)), `120000 ${dice.pick(['same.txt', '/nowhere'])}`),
	'makes an empty folder': ({ root, dice, focus }) => {
		const path = dice.pick(near(tricky, focus, dice));
		if (!exists(root, path)) put(root, path, 'folder');
	},
	'makes a FIFO': ({ root, dice }) => {
		const path = dice.pick(['new.txt', 'out.log', 'mine.fifo']);
		remove(root, path);
		execFileSync('mkfifo', [join(root, path)]);
	},
	'has a repository inside': ({ world, root, dice, focus }) => {
		const folders = focus.filter((one) => one.includes('/')).map((one) => one.slice(0, one.lastIndexOf('/')));
		const anywhere = ['new', 'folder', 'new.txt', 'cache', 'mine', 'out.log', 'dir/sub'];
		const path = dice.pick(folders.length > 0 && dice.chance(0.6) ? folders : anywhere);
		if (isFolder(root, path) && dice.chance(0.5))
			return cpSync(join(world.nested, '.git'), join(root, path, '.git'), { recursive: true });
		remove(root, path);
		cpSync(world.nested, join(root, path), { recursive: true });
	},
	'has a name that few expect': ({ root, dice }) => edit(root, dice.pick(oddPaths), dice.text()),
	'has twins in case and in form': ({ root, dice }) => {
		for (const path of ['Twin', 'twin', 'e\u0301.txt', '\u00e9.txt'])
			edit(root, Buffer.from(path).toString('latin1'), dice.text());
	},
	'hides an edit from Git': async ({ root, dice }) => {
		const path = dice.pick(['a.txt', 'dir/b.txt', 'swap', 'run.sh']);
		await plainGit(root, ['update-index', dice.pick(['--assume-unchanged', '--skip-worktree']), '--', path]);
		if (dice.chance(0.3)) remove(root, path);
		else edit(root, path, dice.text());
	},
	'is sparse': ({ root, dice }) =>
		plainGit(root, ['sparse-checkout', 'set', ...(dice.chance(0.5) ? ['--no-cone', '/dir/'] : ['dir'])]),
	'has a detached HEAD': ({ world, root }) => gitFile(root, 'HEAD', `${world.branches.get('main')}\n`),
	'has an unborn branch': ({ root }) => gitFile(root, 'HEAD', 'ref: refs/heads/unborn\n'),
	'has an unborn branch and nothing staged': async ({ root, dice }) => {
		gitFile(root, 'HEAD', 'ref: refs/heads/unborn\n');
		await plainGit(root, ['rm', '--quiet', '-r', '--cached', '--', '.']);
		if (dice.chance(0.7)) for (const path of mainFiles.keys()) remove(root, path);
	},
	'has a commit of their own': async ({ root, dice }) => {
		edit(root, dice.pick(['mine.txt', 'a.txt', 'dir/b.txt']), dice.text());
		await plainGit(root, ['commit', '--quiet', '--all', '--message', 'mine']);
	},
	'is on a branch of their own': ({ root }) => plainGit(root, ['switch', '--quiet', '--create', 'users/own']),
	'is on a candidate': ({ root, dice }) => plainGit(root, ['switch', '--quiet', `generic_exp_${dice.integer(3)}`]),
	'has a tag that is named as a candidate': ({ root }) => plainGit(root, ['tag', 'generic_exp_0', 'main']),
	'has a stash': ({ root, dice }) => {
		edit(root, 'same.txt', dice.text());
		return plainGit(root, ['stash', '--quiet']);
	},
	'is in the middle of a merge': ({ root, dice }) => merge(root, `generic_exp_${dice.integer(3)}`),
	'has a merge to commit': ({ world, root }) => {
		gitFile(root, 'MERGE_HEAD', `${world.branches.get('generic_exp_0')}\n`);
		gitFile(root, 'MERGE_MSG', 'a message that took an hour\n');
	},
	'has squashed a branch': ({ root, dice }) =>
		plainGit(root, ['merge', '--quiet', '--squash', `generic_exp_${dice.integer(3)}`]),
	'has a message that waits for its commit': ({ root, dice }) =>
		gitFile(root, dice.pick(['SQUASH_MSG', 'MERGE_MSG']), 'an hour of words\n'),
	'is in the middle of something': ({ world, root, dice }) => {
		const commit = `${world.branches.get('generic_exp_1')}\n`;
		const name = dice.pick([
			'CHERRY_PICK_HEAD',
			'REVERT_HEAD',
			'BISECT_LOG',
			'rebase-merge/head-name',
			'rebase-apply/next',
			'sequencer/todo',
		]);
		gitFile(root, name, commit);
	},
	'is in the middle of a conflict in another file': async ({ root, dice }) => {
		const id = await git(root, ['hash-object', '-w', '--stdin'], dice.text());
		const lines = [1, 2, 3].map(
			(number) => `100644 ${id} ${number}\t${dice.pick(['same.txt', 'a.txt', 'conflict.txt'])}\n`,
		);
		await plainGit(root, ['update-index', '--index-info'], lines.join(''));
	},
	'has a lock': ({ root, dice }) =>
		gitFile(root, dice.pick(['index.lock', 'HEAD.lock', 'index.lock', 'packed-refs.lock', 'refs/heads/main.lock']), ''),
	'has hooks': ({ world, root }) => {
		for (const hook of ['post-checkout', 'reference-transaction', 'pre-commit', 'post-index-change']) {
			gitFile(root, `hooks/${hook}`, `#!/bin/sh\nexec '${world.tripwire}' </dev/null\n`);
			chmodSync(join(root, '.git/hooks', hook), 0o755);
		}
	},
	'has a monitor': ({ world, root }) => configure(root, ['core.fsmonitor', world.tripwire]),
	'has a filter': async ({ world, root, dice }) => {
		await configure(root, ['filter.evil.smudge', world.tripwire], ['filter.evil.clean', world.tripwire]);
		if (dice.chance(0.5)) gitFile(root, 'info/attributes', '* filter=evil text eol=crlf\n* -text !eol -filter\n');
		else gitFile(root, 'info/attributes', '* filter=evil\n');
	},
	'has settings of their own': ({ root, dice }) =>
		configure(
			root,
			dice.pick([
				['core.autocrlf', 'true'],
				['core.eol', 'crlf'],
				['core.trustctime', 'false'],
				['core.checkStat', 'minimal'],
				['core.fileMode', 'false'],
				['core.ignoreCase', 'true'],
				['core.symlinks', 'false'],
				['core.splitIndex', 'true'],
				['core.untrackedCache', 'true'],
				['commit.gpgSign', 'true'],
				['status.showUntrackedFiles', 'no'],
				['diff.renames', 'copies'],
				['checkout.guess', 'true'],
				['submodule.recurse', 'true'],
			] as const),
		),
	'replaces an object': async ({ world, root }) => {
		const blob = await git(root, ['rev-parse', `${world.branches.get('generic_exp_0')}^{tree}`]);
		const other = await git(root, ['rev-parse', 'main^{tree}']);
		if (blob !== other) await plainGit(root, ['replace', blob, other]);
	},
	'has a worktree of their own': ({ world, root, dice }) =>
		plainGit(root, [
			'worktree',
			'add',
			'--quiet',
			'--detach',
			...(dice.chance(0.5) ? ['--lock', '--reason', 'mine'] : []),
			join(world.folder, 'theirs'),
			'generic_exp_1',
		]),
	'has a candidate checked out elsewhere': ({ world, root }) =>
		plainGit(root, ['worktree', 'add', '--quiet', join(world.folder, 'theirs'), 'generic_exp_0']),
	'has packed everything': ({ root }) => plainGit(root, ['pack-refs', '--all']),
	'has a branch that hides a folder': ({ root }) => plainGit(root, ['branch', 'generic_exp_9/below', 'main']),
};
