import { chmod, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { createRepository, git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Workspace } from '../src/index.ts';
import { type Situation, situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

const seedFiles = {
	'.gitignore': '*.cache\nbuild/\n',
	'tracked.txt': 'main\n',
	'same.txt': 'same\n',
	'folder/inner.txt': 'inner\n',
	'run.sh': { executable: '#!/bin/sh\n' },
};

let template: Situation;
beforeAll(async () => {
	template = await situation();
	await createRepository(join(template.folder, 'seed'), seedFiles);
	const workspace = await template.open({ seed: join(template.folder, 'seed') });
	await candidate(template, workspace, {
		branch: 'generic_exp_0',
		files: {
			'.gitignore': '# nothing\n',
			'tracked.txt': 'candidate\n',
			'new.txt': 'new\n',
			'deep/new.txt': 'deep\n',
			'runtime.cache': 'tracked cache\n',
			build: 'a file\n',
			'folder/inner.txt': 'changed\n',
		},
	});
	await workspace.close();
});
afterAll(() => template[Symbol.asyncDispose]());

/** On main; `generic_exp_0` changes tracked.txt, adds new.txt, deep/new.txt, runtime.cache and a file called build. */
async function withCandidate(): Promise<{ s: Situation; workspace: Workspace }> {
	const s = await situation(template.folder);
	return { s, workspace: await s.open() };
}

/** Everything that could be lost: files and links of the work tree, the index, HEAD, refs. */
async function everything(s: Situation): Promise<unknown> {
	return {
		files: await readFiles(s.output, (path) => path === '.git'),
		index: await git(s.output, 'ls-files', '--stage'),
		head: await readFile(join(s.output, '.git/HEAD'), 'utf8'),
		refs: await git(s.output, 'for-each-ref'),
	};
}

async function refusal(action: Promise<unknown>): Promise<KapsoError> {
	try {
		await action;
	} catch (error) {
		if (KapsoError.isInstance(error)) return error;
		throw error;
	}
	throw new Error('was not refused');
}

it('keeps untracked and ignored files through a switch and back [A2, M109]', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	await writeFiles(s.output, { 'notes.txt': 'mine\n', 'other.cache': 'runtime\n', 'build2/x': 'x' });
	await workspace.checkout('generic_exp_0');
	expect(await git(s.output, 'branch', '--show-current')).toBe('generic_exp_0');
	expect(await readFile(join(s.output, 'notes.txt'), 'utf8')).toBe('mine\n');
	expect(await readFile(join(s.output, 'other.cache'), 'utf8')).toBe('runtime\n');
	await workspace.checkout('main');
	expect(await readFile(join(s.output, 'other.cache'), 'utf8')).toBe('runtime\n');
});

const obstacles: Readonly<
	Record<string, { reason: string; paths: string[]; make(root: string, s: Situation): Promise<unknown> }>
> = {
	'an unstaged edit [A4]': {
		reason: 'local-changes',
		paths: ['tracked.txt'],
		make: (root) => writeFile(join(root, 'tracked.txt'), 'edited\n'),
	},
	'an edit of the same size and time [D3]': {
		reason: 'local-changes',
		paths: ['tracked.txt'],
		async make(root) {
			await git(root, 'update-index', '--refresh');
			const path = join(root, 'tracked.txt');
			await new Promise((resolve) => setTimeout(resolve, 1100));
			await writeFile(path, 'niam\n');
			await utimes(path, new Date(), new Date(2020, 1, 1));
		},
	},
	'an edit of the same size and time in the second in which Git looked [D3]': {
		reason: 'local-changes',
		paths: ['tracked.txt'],
		async make(root) {
			const path = join(root, 'tracked.txt');
			const old = new Date(2020, 1, 1);
			// Early in a second, so that all of it happens within that second.
			await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)));
			await utimes(path, old, old);
			await git(root, 'update-index', '--refresh');
			await writeFile(path, 'niam\n');
			await utimes(path, old, old);
		},
	},
	'an edit hidden by --assume-unchanged': {
		reason: 'local-changes',
		paths: ['tracked.txt'],
		async make(root) {
			await git(root, 'update-index', '--assume-unchanged', 'tracked.txt');
			await writeFile(join(root, 'tracked.txt'), 'hidden edit\n');
		},
	},
	'an edit hidden by --skip-worktree': {
		reason: 'local-changes',
		paths: ['tracked.txt'],
		async make(root) {
			await git(root, 'update-index', '--skip-worktree', 'tracked.txt');
			await writeFile(join(root, 'tracked.txt'), 'hidden edit\n');
		},
	},
	'a staged edit': {
		reason: 'local-changes',
		paths: ['tracked.txt'],
		async make(root) {
			await writeFile(join(root, 'tracked.txt'), 'staged\n');
			await git(root, 'add', 'tracked.txt');
		},
	},
	'a deletion by the user': {
		reason: 'local-changes',
		paths: ['tracked.txt'],
		make: (root) => rm(join(root, 'tracked.txt')),
	},
	'a staged new file': {
		reason: 'local-changes',
		paths: ['new.txt'],
		async make(root) {
			await writeFile(join(root, 'new.txt'), 'mine\n');
			await git(root, 'add', 'new.txt');
		},
	},
	'an intent to add': {
		reason: 'local-changes',
		paths: ['new.txt'],
		async make(root) {
			await writeFile(join(root, 'new.txt'), 'mine\n');
			await git(root, 'add', '--intent-to-add', 'new.txt');
		},
	},
	'an untracked file where the target has one [A3, D1, D2, M110]': {
		reason: 'untracked-collision',
		paths: ['new.txt'],
		make: (root) => writeFile(join(root, 'new.txt'), 'mine\n'),
	},
	'an ignored file where the target has one [D3, G69]': {
		reason: 'untracked-collision',
		paths: ['runtime.cache'],
		make: (root) => writeFile(join(root, 'runtime.cache'), 'expensive\n'),
	},
	'an ignored folder where the target has a file': {
		reason: 'untracked-collision',
		paths: ['build/a/b'],
		make: (root) => writeFiles(root, { 'build/a/b': 'artifact\n' }),
	},
	'an ignored nested repository where the target has a file': {
		reason: 'untracked-collision',
		paths: ['build/.git/HEAD'],
		make: (root) => writeFiles(root, { 'build/.git/HEAD': 'ref: refs/heads/main\n' }),
	},
	'an empty folder of the user’s where the target has a file': {
		reason: 'untracked-collision',
		paths: ['new.txt'],
		make: (root) => mkdir(join(root, 'new.txt')),
	},
	'a file where the target has a folder': {
		reason: 'untracked-collision',
		paths: ['deep'],
		make: (root) => writeFile(join(root, 'deep'), 'mine\n'),
	},
	'a link where the target has a folder': {
		reason: 'link-in-the-way',
		paths: ['deep'],
		async make(root, s) {
			await mkdir(join(s.folder, 'elsewhere'));
			await symlink(join(s.folder, 'elsewhere'), join(root, 'deep'));
		},
	},
	'a nested repository that the target would write into': {
		reason: 'nested-repository',
		paths: ['deep'],
		make: (root) => createRepository(join(root, 'deep'), { 'x.txt': 'x' }),
	},
	'a tracked folder replaced by a link': {
		reason: 'local-changes',
		paths: ['folder/inner.txt'],
		async make(root, s) {
			await writeFiles(s.folder, { 'elsewhere/inner.txt': 'outside\n' });
			await rm(join(root, 'folder'), { recursive: true });
			await symlink(join(s.folder, 'elsewhere'), join(root, 'folder'));
		},
	},
	'an index lock of another program [G58]': {
		reason: 'locked',
		paths: ['.git/index.lock'],
		make: (root) => writeFile(join(root, '.git/index.lock'), ''),
	},
	'a HEAD lock of another program': {
		reason: 'locked',
		paths: ['.git/HEAD.lock'],
		make: (root) => writeFile(join(root, '.git/HEAD.lock'), ''),
	},
	'a merge in progress': {
		reason: 'operation-in-progress',
		paths: ['.git/MERGE_HEAD'],
		make: async (root) => writeFile(join(root, '.git/MERGE_HEAD'), await git(root, 'rev-parse', 'HEAD')),
	},
	'a squashed branch whose message waits for its commit': {
		reason: 'operation-in-progress',
		paths: ['.git/SQUASH_MSG'],
		make: (root) => writeFile(join(root, '.git/SQUASH_MSG'), 'an hour of words\n'),
	},
	'an empty folder in the way of a branch without a commit': {
		reason: 'untracked-collision',
		paths: ['new.txt'],
		async make(root) {
			await git(root, 'symbolic-ref', 'HEAD', 'refs/heads/unborn');
			await mkdir(join(root, 'new.txt'));
		},
	},
	'a nested repository in the way of a branch without a commit': {
		reason: 'nested-repository',
		paths: ['deep'],
		async make(root) {
			await git(root, 'symbolic-ref', 'HEAD', 'refs/heads/unborn');
			await createRepository(join(root, 'deep'), { 'x.txt': 'x' });
		},
	},
	'a rebase in progress': {
		reason: 'operation-in-progress',
		paths: ['.git/rebase-merge'],
		make: (root) => mkdir(join(root, '.git/rebase-merge')),
	},
};

it.for(Object.entries(obstacles))('refuses %s and changes nothing', async ([, obstacle]) => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	await obstacle.make(s.output, s);
	const before = await everything(s);
	const error = await refusal(workspace.checkout('generic_exp_0'));
	expect(error.code).toBe('CHECKOUT_REFUSED');
	expect(error.data).toMatchObject({ reason: obstacle.reason, target: 'generic_exp_0', branchName: 'generic_exp_0' });
	expect(error.data.paths).toEqual(obstacle.paths);
	expect(await everything(s)).toEqual(before);
});

it('names the edited file in the status lines and stays on main [A4, M102, M107]', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	await writeFile(join(s.output, 'tracked.txt'), 'edited\n');
	const error = await refusal(workspace.checkout('generic_exp_0'));
	expect(error.data.status).toContain(' M tracked.txt');
	expect(error.message).toContain(' M tracked.txt');
	expect(await git(s.output, 'branch', '--show-current')).toBe('main');
});

it('leaves edits of files that the switch does not touch, staged and unstaged', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	await writeFile(join(s.output, 'same.txt'), 'my edit\n');
	await chmod(join(s.output, 'run.sh'), 0o644);
	await writeFiles(s.output, { 'mine/staged.txt': 'staged\n' });
	await git(s.output, 'add', 'mine/staged.txt');
	await workspace.checkout('generic_exp_0');
	// The testkit trims: the first line has lost its leading space.
	expect(await git(s.output, 'status', '--porcelain')).toBe('A  mine/staged.txt\n M run.sh\n M same.txt');
});

it('replaces a tracked folder by a file and back', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	await candidate(s, workspace, { branch: 'generic_exp_1', files: { folder: 'now a file\n' } });
	await workspace.checkout('generic_exp_1');
	expect(await readFile(join(s.output, 'folder'), 'utf8')).toBe('now a file\n');
	await workspace.checkout('main');
	expect(await readFile(join(s.output, 'folder/inner.txt'), 'utf8')).toBe('inner\n');
	expect(await git(s.output, 'status', '--porcelain')).toBe('');
});

it('runs no hook and keeps a user’s hook in place [T061]', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	const hook = join(s.output, '.git/hooks/post-checkout');
	await writeFiles(s.output, {
		'.git/hooks/post-checkout': { executable: `#!/bin/sh\ntouch '${join(s.folder, 'hook-ran')}'\nexit 1\n` },
	});
	await workspace.checkout('generic_exp_0');
	await expect(readFile(join(s.folder, 'hook-ran'))).rejects.toThrow();
	await readFile(hook);
});

it('checks out tags and commits detached, never a guessed branch', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	await git(s.output, 'tag', 'keep', 'generic_exp_0');
	await workspace.checkout('keep');
	expect(await git(s.output, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
	await workspace.checkout('main');
	await git(s.output, 'update-ref', 'refs/remotes/origin/only-there', 'generic_exp_0');
	expect((await refusal(workspace.checkout('only-there'))).code).toBe('UNKNOWN_REF');
	expect((await refusal(workspace.checkout('nowhere'))).message).toBe('Unknown Git ref: nowhere');
});

it('refuses a branch that is checked out in a worktree of the user’s', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	await git(s.output, 'worktree', 'add', '--quiet', join(s.folder, 'theirs'), 'generic_exp_0');
	const before = await everything(s);
	expect((await refusal(workspace.checkout('generic_exp_0'))).data.reason).toBe('checked-out-elsewhere');
	expect(await everything(s)).toEqual(before);
});

it('refuses to deliver a branch that was moved after it was scored [D8, T068]', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	const commit = await workspace.resolve('generic_exp_0');
	await git(s.output, 'branch', '--force', 'generic_exp_0', 'main');
	const error = await refusal(workspace.checkoutBest({ branch: 'generic_exp_0', commit }));
	expect(error.data.reason).toBe('branch-moved');
	expect(error.hint).toContain(commit);
	expect(await git(s.output, 'branch', '--show-current')).toBe('main');
	expect((await refusal(workspace.checkoutBest({ branch: 'gone', commit }))).code).toBe('UNKNOWN_REF');
});

it('returns the best ref that the work tree is proven to be on [A9, M105, M113]', async () => {
	const { s, workspace } = await withCandidate();
	await using _ = s;
	const commit = await workspace.resolve('generic_exp_0');
	const best = await workspace.checkoutBest({ branch: 'generic_exp_0', commit });
	expect(best).toEqual({
		ref: await git(s.output, 'branch', '--show-current'),
		commit: await git(s.output, 'rev-parse', 'HEAD'),
	});
});
