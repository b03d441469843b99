import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { createRepository, git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { isCampaignFolder } from '../src/index.ts';
import { situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

async function refusal(action: Promise<unknown>): Promise<KapsoError> {
	try {
		await action;
	} catch (error) {
		if (KapsoError.isInstance(error)) return error;
		throw error;
	}
	throw new Error('was not refused');
}

describe('main', () => {
	it('gets a main beside a seed’s master or develop, which stay where they are [M104, M111, D9]', async () => {
		await using s = await situation();
		const seed = join(s.folder, 'seed');
		const commit = await createRepository(seed, { 'a.txt': 'a' }, 'develop');
		const workspace = await s.open({ seed });
		expect(workspace).toMatchObject({ mainCommit: commit, seed: { kind: 'repository', commit, uncommitted: [] } });
		expect(await workspace.branches()).toEqual(
			new Map([
				['develop', commit],
				['main', commit],
			]),
		);
		expect(await git(s.output, 'branch', '--show-current')).toBe('main');
		expect(await git(s.output, 'status', '--porcelain')).toBe('');
	});

	it('starts at the commit of a seed with a detached HEAD', async () => {
		await using s = await situation();
		const seed = join(s.folder, 'seed');
		const commit = await createRepository(seed, { 'a.txt': 'a' });
		await git(seed, 'checkout', '--quiet', '--detach');
		await writeFile(join(seed, 'a.txt'), 'b');
		await git(seed, 'commit', '--quiet', '--all', '--message', 'detached');
		const workspace = await s.open({ seed });
		expect(workspace.mainCommit).toBe(await git(seed, 'rev-parse', 'HEAD'));
		expect(workspace.mainCommit).not.toBe(commit);
	});

	it('is checked out again when the campaign was left on a candidate, which stays [A5, M103, M108]', async () => {
		await using s = await situation();
		const workspace = await s.open();
		const { commit } = await candidate(s, workspace, { branch: 'generic_exp_0', files: { 'a.txt': 'a' } });
		await workspace.checkout('generic_exp_0');
		await writeFile(join(s.output, 'checkpoint.pkl'), Buffer.from([0x80, 4, 0x2e]));
		await workspace.close();
		const again = await s.open();
		expect(await git(s.output, 'branch', '--show-current')).toBe('main');
		expect(await again.resolve('generic_exp_0')).toBe(commit);
		expect(again.mainCommit).toBe(workspace.mainCommit);
		expect(await readFile(join(s.output, 'checkpoint.pkl'))).toEqual(Buffer.from([0x80, 4, 0x2e]));
		expect(again.repairs).toEqual([]);
	});

	it('is made again at the commit of a detached HEAD [A6, M112]', async () => {
		await using s = await situation();
		const workspace = await s.open();
		await workspace.close();
		await git(s.output, 'checkout', '--quiet', '--detach');
		await git(s.output, 'branch', '--delete', '--force', 'main');
		const again = await s.open();
		expect(again.mainCommit).toBe(workspace.mainCommit);
		expect(await git(s.output, 'branch', '--show-current')).toBe('main');
		expect(again.repairs).toEqual([`created main at ${workspace.mainCommit}`]);
	});

	it('is not forced on a dirty work tree: the campaign opens and nothing is touched', async () => {
		await using s = await situation();
		await createRepository(join(s.folder, 'seed'), { 'a.txt': 'a' });
		const workspace = await s.open({ seed: join(s.folder, 'seed') });
		await candidate(s, workspace, { branch: 'generic_exp_0', files: { 'a.txt': 'b' } });
		await workspace.checkout('generic_exp_0');
		await workspace.close();
		await writeFiles(s.output, { 'a.txt': 'edited', 'untracked.txt': 'mine' });
		const before = await readFiles(s.output, (path) => path === '.git');
		const again = await s.open();
		expect(again.repairs).toEqual([
			expect.stringMatching(/^stayed on generic_exp_0: cannot check out main \(local-changes\): a\.txt/),
		]);
		expect(await readFiles(s.output, (path) => path === '.git')).toEqual(before);
		expect(await git(s.output, 'branch', '--show-current')).toBe('generic_exp_0');
	});

	it('is left alone when the caller first wants to look [D47]', async () => {
		await using s = await situation();
		const workspace = await s.open();
		await candidate(s, workspace, { branch: 'generic_exp_0', files: { 'a.txt': 'b' } });
		await workspace.checkout('generic_exp_0');
		await s.open({ checkoutMain: false });
		expect(await git(s.output, 'branch', '--show-current')).toBe('generic_exp_0');
	});
});

describe('a seed', () => {
	it('stays byte for byte as it was: files, index, HEAD, refs, settings, objects', async () => {
		await using s = await situation();
		const seed = join(s.folder, 'seed 100%25 ü');
		await createRepository(seed, { 'a.txt': 'a', 'b/ö.txt': 'b' });
		await writeFiles(seed, { 'a.txt': 'edited', 'new.txt': 'new', 'staged.txt': 'staged', 'private.txt': 'private' });
		await writeFiles(seed, { '.git/info/exclude': 'private.txt\n' });
		await git(seed, 'add', 'staged.txt');
		const before = await readFiles(seed);
		const workspace = await s.open({ seed });
		expect(await readFiles(seed)).toEqual(before);
		expect(workspace.seed.uncommitted).toEqual(['a.txt', 'staged.txt', 'new.txt']);
		expect(await readFiles(s.output, (path) => path === '.git')).toEqual({ 'a.txt': '644 a', 'b/ö.txt': '644 b' });
		expect(await git(s.output, 'remote')).toBe('');
		await workspace.close();
		await rm(seed, { recursive: true });
		expect(await git(s.output, 'fsck', '--full')).toBe('');
	});

	it('brings its uncommitted files along as one commit when asked [D10]', async () => {
		await using s = await situation();
		const seed = join(s.folder, 'seed');
		const head = await createRepository(seed, { '.gitignore': 'ignored\n', 'a.txt': 'a', 'gone.txt': 'gone' });
		await rm(join(seed, 'gone.txt'));
		await writeFiles(seed, {
			'a.txt': 'edited',
			'new ü.sh': { executable: 'new' },
			ignored: 'ignored',
			link: { link: 'a.txt' },
		});
		const before = await readFiles(seed);
		const workspace = await s.open({ seed, includeUncommitted: true });
		expect(await readFiles(seed)).toEqual(before);
		expect(await workspace.objects.readCommit(workspace.mainCommit)).toMatchObject({ parents: [head] });
		expect(await readFiles(s.output, (path) => path === '.git')).toEqual({
			'.gitignore': '644 ignored\n',
			'a.txt': '644 edited',
			'new ü.sh': '755 new',
			link: 'link a.txt',
		});
		expect(await git(s.output, 'status', '--porcelain')).toBe('');
		expect(workspace.seed.uncommitted).toEqual([]);
	});

	it('may be a plain folder: its ignore rules count, no bytecode and no .git come along [A11]', async () => {
		await using s = await situation();
		const seed = join(s.folder, 'seed');
		await writeFiles(seed, {
			'.gitignore': '*.log\n',
			'a.py': 'a',
			'a.pyc': 'bytecode',
			'__pycache__/a.cpython-312.pyc': 'bytecode',
			'run.log': 'log',
			'vendor/lib/x.py': 'x',
			'.kapso/run_state.json': '{}',
		});
		await createRepository(join(seed, 'vendor/lib'), {});
		const workspace = await s.open({ seed });
		expect(workspace.seed.kind).toBe('folder');
		expect(await readFiles(s.output, (path) => path === '.git')).toEqual({
			'.gitignore': '644 *.log\n',
			'a.py': '644 a',
			'vendor/lib/x.py': '644 x',
		});
		const exclude = await readFile(join(s.output, '.git/info/exclude'), 'utf8');
		expect(exclude.split('\n')).toEqual(expect.arrayContaining(['__pycache__/', '*.pyc', '/.kapso/*']));
		await candidate(s, workspace, { branch: 'generic_exp_0', files: { 'a.py': 'b' } });
		await writeFiles(s.output, { '__pycache__/a.cpython-312.pyc': 'regenerated' });
		await workspace.checkout('generic_exp_0');
		await workspace.checkout('main');
		expect(await readFile(join(s.output, '__pycache__/a.cpython-312.pyc'), 'utf8')).toBe('regenerated');
	});

	it('may be bare, a linked worktree, shallow or named by sha256 [G53]', async () => {
		await using s = await situation();
		const seed = join(s.folder, 'seed');
		const commit = await createRepository(seed, { 'a.txt': 'a' });
		await writeFile(join(seed, 'a.txt'), 'b');
		await git(seed, 'commit', '--quiet', '--all', '--message', 'second');
		await git(s.folder, 'clone', '--quiet', '--bare', '--no-local', seed, 'bare.git');
		await git(s.folder, 'clone', '--quiet', '--depth=1', `file://${encodeURI(seed)}`, 'shallow');
		await git(seed, 'worktree', 'add', '--quiet', '--detach', join(s.folder, 'linked'), commit);
		await git(s.folder, 'init', '--quiet', '--object-format=sha256', '--initial-branch=main', 'long');
		await writeFile(join(s.folder, 'long', 'a.txt'), 'a');
		await git(join(s.folder, 'long'), 'add', '--all');
		await git(join(s.folder, 'long'), 'commit', '--quiet', '--message', 'start');
		for (const name of ['bare.git', 'shallow', 'linked', 'long']) {
			const path = join(s.folder, `campaign of ${name}`);
			const workspace = await s.open({ path, seed: join(s.folder, name) });
			const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() });
			expect(await git(clone.folder, 'fsck', '--full', '--strict')).toBe('');
			expect(await git(clone.folder, 'log', '--format=%H')).toBe(await git(path, 'log', '--format=%H', 'main'));
			expect(await git(clone.folder, 'status', '--porcelain')).toBe('');
			const made = await candidate(s, workspace, { branch: 'generic_exp_0', files: { 'a.txt': `from ${name}` } });
			expect(made.commit).toHaveLength(name === 'long' ? 64 : 40);
			await workspace.checkout('generic_exp_0');
			await using tree = await workspace.materialize('generic_exp_0');
			expect(await readFile(join(tree.path, 'a.txt'), 'utf8')).toBe(`from ${name}`);
			expect(await workspace.isAncestor(workspace.mainCommit, made.commit)).toBe(true);
		}
	});

	it('may be an empty repository', async () => {
		await using s = await situation();
		await git(s.folder, 'init', '--quiet', 'seed');
		const workspace = await s.open({ seed: join(s.folder, 'seed') });
		expect(await git(s.output, 'log', '--format=%s')).toBe('Start of the campaign');
		expect(workspace.seed.kind).toBe('repository');
	});

	const refused: Readonly<
		Record<
			string,
			{ code: string; paths?: string[]; seed?: string; make(folder: string, seed: string): Promise<unknown> }
		>
	> = {
		'that is not there': { code: 'SEED_MISSING', make: async () => {} },
		'that is a file': { code: 'SEED_MISSING', make: (_, seed) => writeFile(seed, '') },
		'with the output inside [D10]': {
			code: 'SEED_CONTAINS_OUTPUT',
			seed: '.',
			make: async () => {},
		},
		'with submodules [D10, G31]': {
			code: 'SEED_SUBMODULES',
			paths: ['sub'],
			async make(_, seed) {
				const commit = await createRepository(seed, { 'a.txt': 'a' });
				await git(seed, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
				await git(seed, 'commit', '--quiet', '--message', 'submodule');
			},
		},
		'with a link in place of the state folder [D7, T016]': {
			code: 'SEED_PATHS',
			paths: ['.kapso'],
			async make(folder, seed) {
				await createRepository(seed, { 'a.txt': 'a' });
				await symlink(folder, join(seed, '.kapso'));
				await git(seed, 'add', '--force', '.kapso');
				await git(seed, 'commit', '--quiet', '--message', 'link');
			},
		},
		'with a state of its own': {
			code: 'SEED_PATHS',
			paths: ['.kapso/run_state.json'],
			make: (_, seed) => createRepository(seed, { '.kapso/run_state.json': '{}', '.kapso/repo_memory.json': '{}' }),
		},
		'with LFS pointers': {
			code: 'SEED_LFS',
			paths: ['model.bin'],
			make: (_, seed) =>
				createRepository(seed, {
					'.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
					'model.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`,
				}),
		},
		'folder with LFS pointers': {
			code: 'SEED_LFS',
			paths: ['model.bin'],
			make: (_, seed) =>
				writeFiles(seed, {
					'.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
					'model.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`,
				}),
		},
		'folder with secrets [D10]': {
			code: 'SEED_SECRETS',
			paths: ['.env', 'keys/id_rsa', 'server.pem'],
			make: (_, seed) =>
				writeFiles(seed, { '.env': 'A=1', 'keys/id_rsa': 'k', 'server.pem': 'p', 'a.txt': 'a', '.env.example': '' }),
		},
		'folder with a dangling link [D10]': {
			code: 'SEED_LINK',
			paths: ['link'],
			make: (_, seed) => writeFiles(seed, { link: { link: 'nowhere' } }),
		},
		'folder with a link that leaves': {
			code: 'SEED_LINK',
			paths: ['folder/link'],
			make: (_, seed) => writeFiles(seed, { 'folder/link': { link: '../../outside' } }),
		},
		'repository whose clone fails [D10]': {
			code: 'SEED_CLONE_FAILED',
			async make(_, seed) {
				await createRepository(seed, { 'a.txt': 'a' });
				await rm(join(seed, '.git/objects'), { recursive: true });
			},
		},
		'that no transport reaches': {
			code: 'SEED_CLONE_FAILED',
			seed: 'ext::sh -c "touch pwned"',
			make: async () => {},
		},
	};

	it.for(Object.entries(refused))('%s is refused before anything is created', async ([, refusedSeed]) => {
		await using s = await situation();
		const seed = join(s.folder, 'seed');
		await refusedSeed.make(s.folder, seed);
		const before = await readFiles(s.folder);
		const wanted = refusedSeed.seed === undefined ? seed : refusedSeed.seed === '.' ? s.folder : refusedSeed.seed;
		const error = await refusal(s.open({ seed: wanted, path: join(s.output, 'deeper') }));
		expect(error.code).toBe(refusedSeed.code);
		expect(error.hint).toMatch(/^Nothing was created/);
		if (refusedSeed.paths !== undefined) expect(error.data.paths).toEqual(refusedSeed.paths);
		expect(existsSync(s.output)).toBe(false);
		expect(await readFiles(s.folder, (path) => path === 'staté')).toEqual(before);
	});

	it('folder with secrets is taken when the caller says so', async () => {
		await using s = await situation();
		await writeFiles(join(s.folder, 'seed'), { '.env': 'A=1' });
		const workspace = await s.open({ seed: join(s.folder, 'seed'), allowSecrets: true });
		expect((await workspace.candidateTree(workspace.mainCommit).entries()).map(({ path }) => path)).toEqual(['.env']);
	});

	it('shows no password of its address', async () => {
		await using s = await situation();
		const error = await refusal(s.open({ seed: 'file://user:hunter2@localhost/nowhere' }));
		expect(error.code).toBe('SEED_CLONE_FAILED');
		expect(JSON.stringify([error.message, error.hint, error.data, String(error.cause)])).not.toContain('hunter2');
	});
});

describe('a folder', () => {
	it('that holds something else is refused and stays as it is [M303]', async () => {
		await using s = await situation();
		await createRepository(s.output, { 'a.txt': 'a' });
		const before = await readFiles(s.output);
		expect((await refusal(s.open())).code).toBe('NOT_A_CAMPAIGN');
		expect((await refusal(s.open({ existing: 'required' }))).code).toBe('NOT_A_CAMPAIGN');
		expect(await readFiles(s.output)).toEqual(before);
		expect(await isCampaignFolder(s.output)).toBe(false);
	});

	it('is a campaign or not, as the caller expects', async () => {
		await using s = await situation();
		expect((await refusal(s.open({ existing: 'required' }))).code).toBe('CAMPAIGN_MISSING');
		expect(existsSync(s.output)).toBe(false);
		await s.open({ existing: 'refused' });
		expect(await isCampaignFolder(s.output)).toBe(true);
		expect((await refusal(s.open({ existing: 'refused' }))).code).toBe('CAMPAIGN_EXISTS');
		expect((await refusal(s.open({ path: 'relative' }))).code).toBe('PATH_NOT_ABSOLUTE');
	});

	it('with a creation that was killed is made anew', async () => {
		await using s = await situation();
		await writeFiles(s.output, { '.git.creating-AbCdEf/HEAD': 'ref: refs/heads/main\n', '.kapso/lock': '{}' });
		const workspace = await s.open();
		expect(workspace.created).toBe(true);
		expect((await readdir(s.output)).sort()).toEqual(['.git', '.kapso']);
	});

	it('may be moved between two openings', async () => {
		await using s = await situation();
		const first = await s.open();
		await candidate(s, first, { branch: 'generic_exp_0', files: { 'a.txt': 'a' } });
		await first.close();
		const moved = join(s.folder, 'moved');
		await cp(s.output, moved, { recursive: true });
		await rm(s.output, { recursive: true });
		const workspace = await s.open({ path: moved });
		await workspace.checkout('generic_exp_0');
		expect(await readFile(join(moved, 'a.txt'), 'utf8')).toBe('a');
	});

	it('is found through a link to it', async () => {
		await using s = await situation();
		await mkdir(s.output);
		await symlink(s.output, join(s.folder, 'link'));
		const workspace = await s.open({ path: join(s.folder, 'link') });
		expect(workspace.root).toBe(s.output);
	});
});

it('refuses a git that is missing or too old by name', async () => {
	await using s = await situation();
	await mkdir(join(s.folder, 'bin'));
	const userEnvironment = { PATH: join(s.folder, 'bin') };
	expect((await refusal(s.open({ userEnvironment }))).code).toBe('GIT_MISSING');
	await writeFiles(s.folder, { 'bin/git': { executable: '#!/bin/sh\necho git version 2.30.2\n' } });
	const error = await refusal(s.open({ userEnvironment }));
	expect(error).toMatchObject({ code: 'GIT_TOO_OLD', data: { version: '2.30.2' } });
	expect(existsSync(s.output)).toBe(false);
});
