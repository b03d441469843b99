import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';
import { createRepository, git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentClone, Finalised, Workspace } from '../src/index.ts';
import { bytes, type Situation, situation } from './situation.ts';

let template: Situation;
beforeAll(async () => {
	template = await situation();
	await createRepository(join(template.folder, 'seed'), {
		'.gitignore': '*.log\nweights/\n',
		'main.py': 'print(1)\n',
		'pkg/a.py': 'a\n',
		'tracked.log': 'tracked although ignored\n',
	});
	await (await template.open({ seed: join(template.folder, 'seed') })).close();
});
afterAll(() => template[Symbol.asyncDispose]());

interface Attempt extends AsyncDisposable {
	readonly s: Situation;
	readonly workspace: Workspace;
	readonly clone: AgentClone;
	finalise(): Promise<Finalised>;
	committed(): Promise<Extract<Finalised, { status: 'committed' }>>;
	/** Path -> text of a commit. */
	files(commit: string): Promise<Record<string, string>>;
}

async function attempt(): Promise<Attempt> {
	const s = await situation(template.folder);
	const workspace = await s.open();
	const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() });
	const finalise = () =>
		workspace.finalise({ clone, parentCommit: workspace.mainCommit, branch: 'generic_exp_0', message: 'Candidate' });
	return {
		s,
		workspace,
		clone,
		finalise,
		async committed() {
			const finalised = await finalise();
			if (finalised.status !== 'committed') throw new Error(`nothing was committed: ${finalised.notes}`);
			return finalised;
		},
		async files(commit) {
			const tree = workspace.candidateTree(commit);
			const files: Record<string, string> = {};
			for (const { path } of await tree.entries()) files[path] = Buffer.from(await tree.read(path)).toString();
			return files;
		},
		[Symbol.asyncDispose]: () => s[Symbol.asyncDispose](),
	};
}

async function rejection(action: Promise<unknown>): Promise<KapsoError> {
	try {
		await action;
	} catch (error) {
		if (KapsoError.isInstance(error)) return error;
		throw error;
	}
	throw new Error('was not rejected');
}

const seedTree = {
	'.gitignore': '*.log\nweights/\n',
	'main.py': 'print(1)\n',
	'pkg/a.py': 'a\n',
	'tracked.log': 'tracked although ignored\n',
};

it('gives the agent a clone with its parent’s history only: no remote, no sibling, no shared object [T098, T067, D7]', async () => {
	await using a = await attempt();
	const first = await a.workspace.createAgentClone({ commit: a.workspace.mainCommit, folder: a.s.clone() });
	await writeFile(join(first.folder, 'secret-of-a-sibling.txt'), 'fix\n');
	const parentCommit = a.workspace.mainCommit;
	await a.workspace.finalise({ clone: first, parentCommit, branch: 'generic_exp_7', message: 'Sibling' });
	const sibling = await a.workspace.resolve('generic_exp_7');
	const clone = await a.workspace.createAgentClone({ commit: parentCommit, folder: a.s.clone() });
	expect(await git(clone.folder, 'remote')).toBe('');
	expect(await git(clone.folder, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/candidate');
	expect(await git(clone.folder, 'branch', '--show-current')).toBe('candidate');
	expect(await git(clone.folder, 'status', '--porcelain')).toBe('');
	await expect(git(clone.folder, 'cat-file', '-e', sibling)).rejects.toThrow();
	expect(existsSync(join(clone.folder, '.git/objects/info/alternates'))).toBe(false);
	expect(await readFile(join(clone.folder, '.git/config'), 'utf8')).not.toContain(a.s.output);
	const { objects } = a.workspace;
	for (const { id } of await objects.listTree(parentCommit)) await objects.readBlob(id);
	const pack = await git(clone.folder, 'count-objects', '-v');
	expect(pack).toContain('garbage: 0');
	await git(clone.folder, '-c', 'user.name=', 'fsck', '--full');
});

it('never reuses a folder that an agent may have touched [E52]', async () => {
	await using a = await attempt();
	const again = a.workspace.createAgentClone({ commit: a.workspace.mainCommit, folder: a.clone.folder });
	expect((await rejection(again)).code).toBe('CLONE_FOLDER_IN_USE');
	expect(existsSync(join(a.clone.folder, 'main.py'))).toBe(true);
});

it('makes one commit of everything left: edits, new and deleted files, modes, links, a commit of the agent’s', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	await writeFile(join(folder, 'main.py'), 'print(2)\n');
	await git(folder, 'commit', '--quiet', '--all', '--message', 'agent’s own');
	await writeFiles(folder, {
		'pkg/b.py': 'b\n',
		'-dash :colon *star ü.txt': 'odd\n',
		link: { link: 'pkg/a.py' },
		'run.sh': { executable: '#!/bin/sh\n' },
	});
	await rm(join(folder, 'pkg/a.py'));
	const finalised = await a.committed();
	expect(await a.files(finalised.commit)).toEqual({
		'.gitignore': '*.log\nweights/\n',
		'main.py': 'print(2)\n',
		'pkg/b.py': 'b\n',
		'-dash :colon *star ü.txt': 'odd\n',
		link: 'pkg/a.py',
		'run.sh': '#!/bin/sh\n',
		'tracked.log': 'tracked although ignored\n',
	});
	const modes = (await a.workspace.candidateTree(finalised.commit).entries()).map(({ path, mode }) => [path, mode]);
	expect(Object.fromEntries(modes)).toMatchObject({ link: '120000', 'run.sh': '100755', 'main.py': '100644' });
	expect(await a.workspace.objects.readCommit(finalised.commit)).toMatchObject({ parents: [a.workspace.mainCommit] });
	expect(await git(a.s.output, 'log', '-1', '--format=%an <%ae> %ct', 'generic_exp_0')).toBe(
		'kapso-evolve <engine@kapso-evolve.invalid> 1893456000',
	);
	// The agent's own commit is kept beside the candidate, with its message.
	const own = await git(folder, 'rev-parse', 'HEAD');
	expect(await git(a.s.output, 'log', '-1', '--format=%s', `refs/kapso/agent/generic_exp_0/${own}`)).toBe(
		'agent’s own',
	);
	expect(await git(a.s.output, 'fsck', '--full', '--strict')).toBe('');
	expect(await git(a.s.output, 'status', '--porcelain')).toBe('');
});

it('says no-change for an untouched clone and creates no ref', async () => {
	await using a = await attempt();
	expect(await a.finalise()).toEqual({ status: 'no-change', ignored: [], archive: null, notes: [] });
	expect(await git(a.s.output, 'for-each-ref', '--format=%(refname)', 'refs/heads/generic_exp_0', 'refs/kapso')).toBe(
		'',
	);
});

it('creates a candidate’s ref once and never moves it [T068]', async () => {
	await using a = await attempt();
	await writeFile(join(a.clone.folder, 'main.py'), 'print(2)\n');
	const { commit } = await a.committed();
	await writeFile(join(a.clone.folder, 'main.py'), 'print(3)\n');
	expect(await rejection(a.finalise())).toMatchObject({
		code: 'REF_EXISTS',
		data: { refs: ['refs/heads/generic_exp_0'] },
	});
	expect(await a.workspace.resolve('generic_exp_0')).toBe(commit);
	for (const branch of ['-x', 'a..b', 'HEAD', 'refs/heads/x', 'a b']) {
		const error = rejection(a.workspace.finalise({ clone: a.clone, parentCommit: commit, branch, message: 'm' }));
		expect((await error).code).toBe('BRANCH_NAME');
	}
});

it('takes work committed on another branch or a detached HEAD when the files say nothing [D5, G04]', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	await git(folder, 'checkout', '--quiet', '-b', 'feature');
	await writeFile(join(folder, 'main.py'), 'print(2)\n');
	await git(folder, 'commit', '--quiet', '--all', '--message', 'work');
	await git(folder, 'checkout', '--quiet', 'candidate');
	const finalised = await a.committed();
	expect(await a.files(finalised.commit)).toEqual({ ...seedTree, 'main.py': 'print(2)\n' });
	expect(finalised.notes).toEqual(['taken from refs/heads/feature, where the agent committed its work']);
});

it('keeps work committed elsewhere under a ref of its own when the files say something else [D5, G51]', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	await git(folder, 'checkout', '--quiet', '--detach');
	await writeFile(join(folder, 'main.py'), 'print("detached")\n');
	await git(folder, 'commit', '--quiet', '--all', '--message', 'detached work');
	await writeFile(join(folder, 'main.py'), 'print("stashed")\n');
	await git(folder, 'stash', '--quiet');
	const detached = await git(folder, 'rev-parse', 'HEAD');
	await git(folder, 'checkout', '--quiet', 'candidate');
	await git(folder, 'tag', 'keep', detached);
	await writeFile(join(folder, 'main.py'), 'print(3)\n');
	const finalised = await a.committed();
	expect(await a.files(finalised.commit)).toEqual({ ...seedTree, 'main.py': 'print(3)\n' });
	expect(finalised.notes).toHaveLength(2);
	const kept = await git(a.s.output, 'for-each-ref', '--format=%(objectname)', 'refs/kapso/agent/generic_exp_0');
	expect(kept.split('\n')).toContain(detached);
	expect(kept.split('\n')).toHaveLength(2);
});

it('does not choose between two other branches, and keeps both', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	for (const name of ['one', 'two']) {
		await git(folder, 'checkout', '--quiet', '-b', name, 'candidate');
		await writeFile(join(folder, 'main.py'), `print("${name}")\n`);
		await git(folder, 'commit', '--quiet', '--all', '--message', name);
	}
	await git(folder, 'checkout', '--quiet', 'candidate');
	const finalised = await a.finalise();
	expect(finalised.status).toBe('no-change');
	expect(finalised.notes).toHaveLength(2);
	expect((await git(a.s.output, 'for-each-ref', 'refs/kapso/agent/generic_exp_0')).split('\n')).toHaveLength(2);
});

it.for([
	['is deleted', (folder: string) => rm(join(folder, '.git'), { recursive: true })],
	['has lost its objects', (folder: string) => rm(join(folder, '.git/objects'), { recursive: true })],
	[
		'is a file that points into the campaign [T077]',
		async (folder: string, s: Situation) => {
			await rm(join(folder, '.git'), { recursive: true });
			await writeFile(join(folder, '.git'), `gitdir: ${join(s.output, '.git')}\n`);
		},
	],
	[
		'is a link to the campaign’s [T077]',
		async (folder: string, s: Situation) => {
			await rm(join(folder, '.git'), { recursive: true });
			await symlink(join(s.output, '.git'), join(folder, '.git'));
		},
	],
	['has a stale index lock [D5, G78]', (folder: string) => writeFile(join(folder, '.git/index.lock'), '')],
	['has a broken config', (folder: string) => writeFile(join(folder, '.git/config'), '[[[')],
	['has a broken HEAD', (folder: string) => writeFile(join(folder, '.git/HEAD'), 'nonsense')],
] as const)('takes the files when the clone’s .git %s', async ([, damage]) => {
	await using a = await attempt();
	await writeFile(join(a.clone.folder, 'main.py'), 'print(2)\n');
	await damage(a.clone.folder, a.s);
	const refs = await git(a.s.output, 'for-each-ref');
	const finalised = await a.committed();
	expect(await a.files(finalised.commit)).toEqual({ ...seedTree, 'main.py': 'print(2)\n' });
	expect(await git(a.s.output, 'for-each-ref')).toContain(refs);
	await a.workspace.removeClone(a.clone);
	expect(await git(a.s.output, 'fsck', '--full')).toBe('');
});

it('takes a repository inside as plain files, not as a link to a commit that nobody has [G41, G33]', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	await createRepository(join(folder, 'tool'), { 'x.py': 'x\n', 'deep/y.py': 'y\n', 'noise.log': 'noise\n' });
	await createRepository(join(folder, 'tool/inner'), { 'z.py': 'z\n' });
	await git(folder, 'init', '--quiet', 'fresh');
	await writeFiles(folder, {
		'fresh/new.py': 'new\n',
		'weights/.git/HEAD': 'ref: refs/heads/x\n',
		'weights/w.bin': 'w',
	});
	await git(join(folder, 'pkg'), 'init', '--quiet');
	await writeFile(join(folder, 'pkg/a.py'), 'changed\n');
	await git(join(folder, 'pkg'), 'add', 'a.py');
	const finalised = await a.committed();
	expect(await a.files(finalised.commit)).toEqual({
		...seedTree,
		'pkg/a.py': 'changed\n',
		'tool/x.py': 'x\n',
		'tool/deep/y.py': 'y\n',
		'tool/inner/z.py': 'z\n',
		'fresh/new.py': 'new\n',
	});
	expect(finalised.ignored.map(({ path }) => path)).toEqual(['tool/noise.log', 'weights/w.bin']);
	expect(finalised.notes.filter((note) => note.includes('is a repository of its own'))).toHaveLength(4);
});

it('lists and archives what is ignored, up to the cap [D6]', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	await writeFiles(folder, {
		'main.py': 'print(2)\n',
		'run.log': 'log\n',
		'weights/model.bin': new Uint8Array(1000).fill(7),
		'weights/big.bin': new Uint8Array(5000),
		'weights/link': { link: '../main.py' },
		'.kapso/secret.json': '{}',
	});
	const finalised = await a.workspace.finalise({
		clone: a.clone,
		parentCommit: a.workspace.mainCommit,
		branch: 'generic_exp_0',
		message: 'm',
		archiveLimitBytes: 2000,
	});
	expect(finalised.ignored).toEqual([
		{ path: '.kapso/secret.json', size: 2 },
		{ path: 'run.log', size: 4 },
		{ path: 'weights/big.bin', size: 5000 },
		{ path: 'weights/link', size: 10 },
		{ path: 'weights/model.bin', size: 1000 },
	]);
	const archive = JSON.parse(Buffer.from(finalised.archive!).toString());
	expect(archive.omitted).toEqual(['weights/big.bin']);
	expect(archive.files.map(({ path }: { path: string }) => path)).toEqual([
		'.kapso/secret.json',
		'run.log',
		'weights/link',
		'weights/model.bin',
	]);
	expect(archive.files[1]).toEqual({
		path: 'run.log',
		mode: '100644',
		base64: Buffer.from('log\n').toString('base64'),
	});
	expect(archive.files[2]).toEqual({ path: 'weights/link', link: '../main.py' });
});

it('lets nothing of .kapso into a candidate, whatever .gitignore says, but the engine’s memory', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	await writeFiles(folder, {
		'main.py': 'print(2)\n',
		'.gitignore': '!/.kapso/**\n!*\n',
		'.kapso/run_state.json': '{}',
		'.kapso/repo_memory.json': 'the agent’s',
	});
	await git(folder, 'add', '--force', '.kapso');
	await git(folder, 'commit', '--quiet', '--message', 'with state');
	const finalised = await a.workspace.finalise({
		clone: a.clone,
		parentCommit: a.workspace.mainCommit,
		branch: 'generic_exp_0',
		message: 'm',
		memory: { path: '.kapso/repo_memory.json', bytes: bytes('{"engine":1}') },
	});
	if (finalised.status !== 'committed') throw new Error('nothing was committed');
	const code = await a.files(finalised.codeCommit);
	expect(Object.keys(code).filter((path) => path.startsWith('.kapso'))).toEqual([]);
	expect(await a.files(finalised.commit)).toEqual({ ...code, '.kapso/repo_memory.json': '{"engine":1}' });
	expect(await a.workspace.objects.readCommit(finalised.commit)).toMatchObject({ parents: [finalised.codeCommit] });
	expect(finalised.ignored.map(({ path }) => path)).toEqual(['.kapso/repo_memory.json', '.kapso/run_state.json']);

	// The next generation carries the memory along, unchanged by its agent: nothing to report.
	const clone = await a.workspace.createAgentClone({ commit: finalised.commit, folder: a.s.clone() });
	await writeFile(join(clone.folder, 'main.py'), 'print(3)\n');
	const parentCommit = finalised.commit;
	const next = await a.workspace.finalise({ clone, parentCommit, branch: 'generic_exp_1', message: 'm' });
	expect(next).toMatchObject({ status: 'committed', ignored: [], archive: null });
	expect(await a.workspace.changedPaths(finalised.commit, 'generic_exp_1')).toEqual(['main.py']);
});

it('keeps the agent’s work as the tip when the memory cannot be committed', async () => {
	await using a = await attempt();
	await writeFile(join(a.clone.folder, 'main.py'), 'print(2)\n');
	const finalised = await a.workspace.finalise({
		clone: a.clone,
		parentCommit: a.workspace.mainCommit,
		branch: 'generic_exp_0',
		message: 'm',
		memory: { path: '../outside', bytes: bytes('{}') },
	});
	if (finalised.status !== 'committed') throw new Error('nothing was committed');
	expect(finalised.commit).toBe(finalised.codeCommit);
	expect(finalised.notes).toEqual([expect.stringMatching(/^the memory commit failed: /)]);
});

it.for([
	['that git can read', []],
	['with settings that git cannot read', [['include.path', '/etc/passwd']]],
] as const)(
	'is deaf to what the agent put into its attributes and its .git %s [T059, T061, T062, T070, T071]',
	async ([, more]) => {
		await using a = await attempt();
		const { folder } = a.clone;
		const ran = join(a.s.folder, 'ran');
		const script = `#!/bin/sh\ntouch '${ran}'\ncat >/dev/null\nprintf 'forged\\n'\n`;
		await writeFiles(folder, {
			'evil.sh': { executable: script },
			'.gitattributes':
				'* filter=evil text eol=crlf ident working-tree-encoding=UTF-16 diff=evil merge=evil\n*.sh -text\n',
			'main.py': 'print(2)\r\n$Id$\n',
			'.git/info/attributes': '* filter=evil\n',
			'.git/info/exclude': 'main.py\n',
			'.git/info/grafts': `${a.workspace.mainCommit}\n`,
		});
		for (const hook of [
			'post-checkout',
			'pre-commit',
			'reference-transaction',
			'post-index-change',
			'fsmonitor-watchman',
		]) {
			await writeFiles(folder, { [`.git/hooks/${hook}`]: { executable: script } });
		}
		for (const [name, value] of [
			['filter.evil.clean', './evil.sh'],
			['filter.evil.smudge', './evil.sh'],
			['filter.evil.process', './evil.sh'],
			['filter.evil.required', 'true'],
			['core.fsmonitor', './evil.sh'],
			['core.hooksPath', '.git/hooks'],
			['core.pager', './evil.sh'],
			['core.sshCommand', './evil.sh'],
			['core.symlinks', 'false'],
			['core.fileMode', 'false'],
			['core.ignoreCase', 'true'],
			['core.autocrlf', 'true'],
			['core.worktree', a.s.folder],
			['diff.external', './evil.sh'],
			['diff.evil.textconv', './evil.sh'],
			['uploadpack.packObjectsHook', './evil.sh'],
			['remote.origin.promisor', 'true'],
			['extensions.partialClone', 'origin'],
			['remote.origin.url', 'ext::sh evil.sh'],
			['core.alternateRefsCommand', './evil.sh'],
			['gc.auto', '1'],
			...more,
		]) {
			await git(folder, 'config', '--file', join(folder, '.git/config'), name!, value!);
		}
		const finalised = await a.committed();
		expect(finalised.notes.some((note) => note.includes('.git is broken'))).toBe(more.length > 0);
		const files = await a.files(finalised.commit);
		expect(files['main.py']).toBe('print(2)\r\n$Id$\n');
		expect(files['evil.sh']).toBe(script);
		const { folder: _, ...plain } = { folder: '', to: join(a.s.state, 'plain') };
		await a.workspace.materializeTree(finalised.commit, plain);
		await using tree = await a.workspace.materialize(finalised.commit);
		for (const path of [plain.to, tree.path]) {
			expect(await readFile(join(path, 'main.py'), 'utf8')).toBe('print(2)\r\n$Id$\n');
		}
		expect(await a.workspace.diff(a.workspace.mainCommit, finalised.commit)).toContain('+print(2)');
		await a.workspace.checkout('generic_exp_0');
		expect(await readFile(join(a.s.output, 'main.py'), 'utf8')).toBe('print(2)\r\n$Id$\n');
		expect(existsSync(ran)).toBe(false);
	},
);

it('keeps forged objects of the agent’s out of the campaign, and takes its files [T062]', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	const blob = await git(folder, 'rev-parse', 'HEAD:main.py');
	await writeFile(join(a.s.folder, 'tree'), Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]));
	const tree = await git(folder, 'hash-object', '-t', 'tree', '-w', '--literally', join(a.s.folder, 'tree'));
	const commit = await git(folder, 'commit-tree', '-p', 'HEAD', '-m', 'forged', tree);
	await git(folder, 'update-ref', 'refs/heads/forged', commit);
	await writeFile(join(folder, 'main.py'), 'print(2)\n');
	const finalised = await a.committed();
	expect(finalised.notes).toEqual([expect.stringContaining('do not pass Git’s checks')]);
	expect(await a.files(finalised.commit)).toEqual({ ...seedTree, 'main.py': 'print(2)\n' });
	await expect(git(a.s.output, 'cat-file', '-e', commit)).rejects.toThrow();
	expect(await git(a.s.output, 'fsck', '--full', '--strict')).toBe('');
});

it('is not told another lineage by grafts, shallow files or replace refs [T064, T076]', async () => {
	await using a = await attempt();
	const { folder } = a.clone;
	await writeFile(join(folder, 'main.py'), 'print(2)\n');
	await git(folder, 'commit', '--quiet', '--all', '--message', 'work');
	const orphan = await git(folder, 'commit-tree', '-m', 'orphan', 'HEAD^{tree}');
	await git(folder, 'replace', 'HEAD', orphan);
	await writeFile(join(folder, '.git/shallow'), `${await git(folder, 'rev-parse', 'HEAD')}\n`);
	const { commit } = await a.committed();
	expect(await a.workspace.objects.readCommit(commit)).toMatchObject({ parents: [a.workspace.mainCommit] });
	expect(await a.workspace.isAncestor(a.workspace.mainCommit, commit)).toBe(true);
});

it('does not take an edit for unchanged because its size and time are forged', async () => {
	await using a = await attempt();
	const path = join(a.clone.folder, 'main.py');
	const { atime, mtime } = await stat(path);
	await writeFile(path, 'print(9)\n');
	await utimes(path, atime, mtime);
	await git(a.clone.folder, 'update-index', '--assume-unchanged', 'main.py');
	const working = await a.workspace.workingTree(a.clone);
	expect(Buffer.from(await working.read('main.py')).toString()).toBe('print(9)\n');
	expect(await a.files((await a.committed()).commit)).toEqual({ ...seedTree, 'main.py': 'print(9)\n' });
});

const rejectedNames: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
	'a newline in a name': (folder) => writeFile(join(folder, 'a\nb.py'), ''),
	'a name that is not UTF-8': (folder) =>
		writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), ''),
	'twins in case': (folder) => writeFiles(folder, { 'Main.py': 'twin\n' }),
	'twins in form': (folder) => writeFiles(folder, { 'e\u0301.py': '1', '\u00e9.py': '2' }),
	'folders that are twins': (folder) => writeFiles(folder, { 'Pkg/b.py': 'twin\n' }),
	'a short name of .git': (folder) => writeFiles(folder, { 'GIT~1/config': 'x' }),
	'a stream of .git': (folder) => writeFiles(folder, { '.git::$INDEX_ALLOCATION/config': 'x' }),
	'an invisible letter in .git': (folder) => writeFiles(folder, { '.g\u200cit/config': 'x' }),
	'.gitmodules as a link': (folder) => symlink('main.py', join(folder, '.gitmodules')),
};

it.for(Object.entries(rejectedNames))('rejects %s and keeps the clone', async ([, make]) => {
	await using a = await attempt();
	await make(a.clone.folder);
	const error = await rejection(a.finalise());
	expect(error).toMatchObject({ code: 'CANDIDATE_REJECTED', category: 'verdict' });
	expect((error.data.paths as string[]).length).toBeGreaterThan(0);
	expect((await rejection(a.workspace.workingTree(a.clone))).code).toBe('CANDIDATE_REJECTED');
	expect(existsSync(join(a.clone.folder, 'main.py'))).toBe(true);
	expect(await git(a.s.output, 'for-each-ref', 'refs/heads/generic_exp_0', 'refs/kapso')).toBe('');
});

it('lets a seed keep the twins that it came with', async () => {
	await using s = await situation();
	const seed = join(s.folder, 'seed');
	await createRepository(seed, { 'README.md': 'a', 'readme.md': 'b' });
	const workspace = await s.open({ seed });
	const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: s.clone() });
	await writeFile(join(clone.folder, 'readme.md'), 'c');
	const parentCommit = workspace.mainCommit;
	expect((await workspace.finalise({ clone, parentCommit, branch: 'generic_exp_0', message: 'm' })).status).toBe(
		'committed',
	);
});

it('ignores a device and a FIFO, and names them', async () => {
	await using a = await attempt();
	await writeFile(join(a.clone.folder, 'main.py'), 'print(2)\n');
	const { execFileSync } = await import('node:child_process');
	execFileSync('mkfifo', [join(a.clone.folder, 'pipe')]);
	const finalised = await a.committed();
	expect(finalised.ignored).toEqual([{ path: 'pipe', size: 0 }]);
	expect(JSON.parse(Buffer.from(finalised.archive!).toString()).omitted).toEqual(['pipe']);
});

it('finalises after an engine restart too, when the warm index is gone', async () => {
	await using a = await attempt();
	await writeFile(join(a.clone.folder, 'main.py'), 'print(2)\n');
	await a.workspace.close();
	const workspace = await a.s.open();
	const finalised = await workspace.finalise({
		clone: { folder: a.clone.folder, parentCommit: workspace.mainCommit },
		parentCommit: workspace.mainCommit,
		branch: 'generic_exp_0_a2',
		message: 'm',
	});
	expect(finalised.status).toBe('committed');
});

it('writes nothing into the campaign while trials look at the files', async () => {
	await using a = await attempt();
	const before = await readFiles(join(a.s.output, '.git'));
	await writeFiles(a.clone.folder, { 'main.py': 'print(2)\n', 'new.py': 'x' });
	const working = await a.workspace.workingTree(a.clone);
	await a.workspace.materializeTree(working, { to: join(a.s.state, 'trial') });
	expect(await readFiles(join(a.s.state, 'trial'))).toMatchObject({ 'main.py': '644 print(2)\n', 'new.py': '644 x' });
	expect(await readFiles(join(a.s.output, '.git'))).toEqual(before);
	const finalised = await a.committed();
	expect(await a.workspace.treeDigest(finalised.commit)).toBe(finalised.treeDigest);
});

it('ingests hundreds of files and reads the same bytes back', async () => {
	await using a = await attempt();
	const files: Record<string, string> = {};
	for (let number = 0; number < 300; number++) files[`gen/f${number}.txt`] = `file ${number}\n`;
	await writeFiles(a.clone.folder, files);
	await chmod(join(a.clone.folder, 'gen/f0.txt'), 0o755);
	await mkdir(join(a.clone.folder, 'empty'));
	await rename(join(a.clone.folder, 'pkg'), join(a.clone.folder, 'moved'));
	const finalised = await a.committed();
	const { 'pkg/a.py': moved, ...rest } = seedTree;
	expect(await a.files(finalised.commit)).toEqual({ ...rest, 'moved/a.py': moved, ...files });
	await a.workspace.checkout('generic_exp_0');
	expect(await git(a.s.output, 'status', '--porcelain')).toBe('');
});

it('makes eight candidates at once, each of its own files', async () => {
	await using a = await attempt();
	const parentCommit = a.workspace.mainCommit;
	const made = await Promise.all(
		Array.from({ length: 8 }, async (_, number) => {
			const clone = await a.workspace.createAgentClone({ commit: parentCommit, folder: a.s.clone() });
			await writeFile(join(clone.folder, 'main.py'), `print(${number + 10})\n`);
			const branch = `generic_exp_${number}`;
			return a.workspace.finalise({ clone, parentCommit, branch, message: branch });
		}),
	);
	for (const [number, finalised] of made.entries()) {
		if (finalised.status !== 'committed') throw new Error('nothing was committed');
		expect(await a.files(finalised.commit)).toEqual({ ...seedTree, 'main.py': `print(${number + 10})\n` });
	}
	expect(await git(a.s.output, 'fsck', '--full', '--strict')).toBe('');
});

it('refuses to put a candidate on another commit than its agent was given [T064, T076]', async () => {
	await using a = await attempt();
	await writeFile(join(a.clone.folder, 'main.py'), 'print(2)\n');
	const { commit } = await a.committed();
	const moved = a.workspace.finalise({ clone: a.clone, parentCommit: commit, branch: 'generic_exp_1', message: 'm' });
	expect((await rejection(moved)).code).toBe('PARENT_MISMATCH');
});
