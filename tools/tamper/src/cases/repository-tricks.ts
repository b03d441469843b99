import { chmod, link, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recheckSource } from '@kapso-evolve/eval-integrity';
import { run } from '@kapso-evolve/process';
import { git, writeFiles } from '@kapso-evolve/testkit';
import type { Later, Site, TamperCase } from '../case.ts';
import { perfectProgram, programFile } from '../language.ts';
import { each } from './plan.ts';

const hookNames = [
	'post-checkout',
	'reference-transaction',
	'pre-commit',
	'commit-msg',
	'post-index-change',
	'post-merge',
];
const markScript = ({ mark }: Site) => `#!/bin/sh\ntouch '${mark}'\ncat\n`;

/** Programs of the agent's that its own repository asks Git to start. */
async function plantPrograms(site: Site, settings: (evil: string) => string): Promise<void> {
	const evil = join(site.folder, '.git', 'evil');
	await writeFile(evil, markScript(site));
	await chmod(evil, 0o755);
	await writeFile(join(site.folder, '.git', 'config'), settings(evil), { flag: 'a' });
}

/** A commit on the parent whose tree no Git program would have made; the files stay the parent's. */
async function commitTree(
	site: Site,
	entries: (blob: string) => readonly (readonly [mode: string, name: string])[],
): Promise<void> {
	const { folder } = site;
	const [perfect] = Object.values(perfectProgram(site.language));
	await writeFile(join(folder, '.git', 'blob'), String(perfect));
	const blob = await git(folder, 'hash-object', '-w', '.git/blob');
	const wanted = entries(blob).map(([mode, name]) => ({ mode, name, id: blob }));
	const names = new Set(wanted.map(({ name }) => name));
	const kept = (await git(folder, 'ls-tree', '-z', 'HEAD')).split('\0').flatMap((line) => {
		const [mode = '', , id = '', name = ''] = line.split(/[ \t]/);
		return name === '' || names.has(name) ? [] : [{ mode: mode.replace(/^0/, ''), name, id }];
	});
	const sorted = [...kept, ...wanted].sort((a, b) => (a.name < b.name ? -1 : 1));
	const raw = sorted.map(({ mode, name, id }) =>
		Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
	);
	await writeFile(join(folder, '.git', 'tree'), Buffer.concat(raw));
	const tree = await git(folder, 'hash-object', '-t', 'tree', '-w', '--literally', '.git/tree');
	const commit = await git(folder, 'commit-tree', '-p', 'HEAD', '-m', 'odd', tree);
	await git(folder, 'update-ref', 'refs/heads/odd', commit);
	await rm(join(folder, 'notes.md'));
}

/** Every object of the clone, searched for a program that squares. */
async function searchHistory(site: Site): Promise<void> {
	const [perfect] = Object.values(perfectProgram(site.language));
	const listed = await git(site.folder, 'cat-file', '--batch-check', '--batch-all-objects');
	for (const line of listed.split('\n')) {
		const [id = '', type] = line.split(' ');
		if (type !== 'blob' || (await git(site.folder, 'cat-file', 'blob', id)).trim() !== String(perfect).trim()) continue;
		await writeFile(join(site.folder, programFile[site.language]), String(perfect));
	}
}

/** Objects that have a second name belong to somebody else as well. */
async function rewriteSharedObjects({ folder, mark }: Site): Promise<void> {
	const objects = join(folder, '.git', 'objects');
	for (const name of await readdir(objects, { recursive: true })) {
		const path = join(objects, name);
		const stat = await lstat(path);
		if (!stat.isFile() || stat.nlink === 1) continue;
		await writeFile(mark, name);
		return;
	}
}

/** A loose object whose bytes are not those of its name. */
async function forgeObject(site: Site): Promise<void> {
	const { folder } = site;
	const name = programFile[site.language];
	const [perfect] = Object.values(perfectProgram(site.language));
	await writeFile(join(folder, name), `${await readFile(join(folder, name), 'utf8')}\n`);
	await git(folder, 'add', '--all');
	await git(folder, 'commit', '--quiet', '--message', 'good');
	const good = await git(folder, 'rev-parse', `HEAD:${name}`);
	await writeFile(join(folder, '.git', 'evil'), String(perfect));
	const evil = await git(folder, 'hash-object', '-w', '.git/evil');
	const at = (id: string) => join(folder, '.git', 'objects', id.slice(0, 2), id.slice(2));
	const bytes = await readFile(at(evil));
	await chmod(at(good), 0o644);
	await writeFile(at(good), bytes);
}

const moveBranch = async ({ arena, branch }: Later): Promise<void> => {
	await git(arena.workspace.root, 'update-ref', `refs/heads/${branch}`, arena.sibling);
};

export const repositoryCases: readonly TamperCase[] = [
	...each({
		...{ name: 'has a filter that shows the judge other bytes than the runner', ids: 'T059 T071 E49', expect: 'NEU' },
		change: { '.gitattributes': '* filter=evil\n' },
		act: (site) =>
			plantPrograms(
				site,
				(evil) => `[filter "evil"]\n\tclean = ${evil}\n\tsmudge = sh -c 'touch ${site.mark}; sed s/n/m/'\n`,
			),
	}),
	...each({
		...{ name: 'has hooks', ids: 'T061', expect: 'NEU' },
		act: async (site) => {
			for (const name of hookNames) {
				await mkdir(join(site.folder, '.git', 'hooks'), { recursive: true });
				await writeFile(join(site.folder, '.git', 'hooks', name), markScript(site), { mode: 0o755 });
			}
		},
	}),
	...each({
		...{ name: 'has settings that start programs', ids: 'T062', expect: 'NEU' },
		act: (site) =>
			plantPrograms(
				site,
				(evil) =>
					`[core]\n\tfsmonitor = ${evil}\n\tsshCommand = ${evil}\n\tpager = ${evil}\n\teditor = ${evil}\n[diff]\n\texternal = ${evil}\n[uploadpack]\n\tpackObjectsHook = ${evil}\n[include]\n\tpath = ${evil}\n[gpg]\n\tprogram = ${evil}\n`,
			),
	}),
	...each({
		...{ name: 'has hooks in a place of its own', ids: 'T062', expect: 'NEU' },
		act: async (site) => {
			const hooks = join(site.folder, '.git', 'mine');
			await mkdir(hooks);
			for (const name of hookNames) await writeFile(join(hooks, name), markScript(site), { mode: 0o755 });
			await writeFile(join(site.folder, '.git', 'config'), `[core]\n\thooksPath = ${hooks}\n`, { flag: 'a' });
		},
	}),
	...each({
		...{ name: 'has grafts, a shallow file and replaced objects', ids: 'T064 T076', expect: 'NEU' },
		act: async ({ folder, arena }) => {
			await mkdir(join(folder, '.git', 'info'), { recursive: true });
			await writeFile(join(folder, '.git', 'info', 'grafts'), `${arena.parent}\n`);
			await git(folder, 'update-ref', `refs/replace/${arena.parent}`, 'HEAD');
		},
	}),
	...each({
		...{ name: 'borrows objects from elsewhere', ids: 'T067', expect: 'NEU' },
		act: async ({ folder }) => {
			await mkdir(join(folder, '.git', 'objects', 'info'), { recursive: true });
			await writeFile(join(folder, '.git', 'objects', 'info', 'alternates'), '/nowhere/objects\n');
		},
	}),
	...each({
		...{ name: 'looks for objects that it shares with the campaign', ids: 'T067', expect: 'NEU' },
		act: rewriteSharedObjects,
	}),
	...each({ name: 'forges the bytes of an object', ids: 'T067 T076', expect: 'NEU', act: forgeObject }),
	...each({
		name: 'has its branch moved after it was judged',
		ids: 'T068 T096',
		expect: 'NEU',
		afterVerify: moveBranch,
	}),
	...each({
		...{ name: 'rewrites its folder after it was judged', ids: 'T079 T078', expect: 'NEU' },
		afterFinalise: ({ folder, language }) => writeFiles(folder, perfectProgram(language) as Record<string, string>),
	}),
	...each({
		...{ name: 'has settings that hide modes, links and line ends', ids: 'T070', expect: 'REJ' },
		act: async ({ folder }) => {
			await writeFile(
				join(folder, '.git', 'config'),
				'[core]\n\tfileMode = false\n\tsymlinks = false\n\tignoreCase = true\n\tautocrlf = true\n',
				{ flag: 'a' },
			);
			await chmod(join(folder, 'kapso_evaluation', 'tolerance.txt'), 0o755);
		},
	}),
	...each({
		...{ name: 'has attributes that rewrite bytes', ids: 'T071 D22', expect: 'NEU' },
		change: {
			'.gitattributes': '* text eol=crlf ident working-tree-encoding=UTF-16\nkapso_evaluation/** text eol=crlf\n',
		},
	}),
	...each({
		...{ name: 'sends the large-file store elsewhere', ids: 'T073', expect: 'NEU' },
		change: {
			'.lfsconfig': '[lfs]\n\turl = http://127.0.0.1:1/\n',
			'.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
			'a.bin': 'version https://git-lfs.github.com/spec/v1\n',
		},
	}),
	...each({
		...{ name: 'has a submodule with a command for its update', ids: 'T074', expect: 'REJ' },
		change: { '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = !touch evil\n' },
		act: async ({ folder }) => {
			await mkdir(join(folder, 'x'));
			await git(join(folder, 'x'), 'init', '--quiet');
			await writeFile(join(folder, 'x', 'a.txt'), 'a\n');
		},
	}),
	...each({
		...{ name: 'forges history, dates and names', ids: 'T076 T096', expect: 'NEU' },
		act: async ({ folder }) => {
			await git(folder, 'add', '--all');
			const tree = await git(folder, 'write-tree');
			const orphan = await git(folder, 'commit-tree', '-m', 'orphan', tree);
			await git(folder, 'update-ref', 'refs/heads/candidate', orphan);
			await git(folder, 'update-ref', 'refs/heads/generic_exp_1', orphan);
			await git(folder, 'tag', 'main', orphan);
		},
	}),
	...each({
		...{ name: 'points its repository elsewhere', ids: 'T077', expect: 'NEU' },
		act: async ({ folder, arena }) => {
			await rm(join(folder, '.git'), { recursive: true });
			await writeFile(join(folder, '.git'), `gitdir: ${arena.workspace.gitDir}\n`);
		},
	}),
	...each({
		...{ name: 'has a work tree elsewhere and settings a worktree', ids: 'T077 T106', expect: 'NEU' },
		act: async ({ folder, arena }) => {
			await writeFile(
				join(folder, '.git', 'config'),
				`[core]\n\tworktree = ${arena.workspace.root}\n[extensions]\n\tworktreeConfig = true\n`,
				{ flag: 'a' },
			);
			await writeFile(join(folder, '.git', 'config.worktree'), '[core]\n\tbare = true\n');
			await mkdir(join(folder, '.git', 'worktrees', 'x'), { recursive: true });
			await writeFile(join(folder, '.git', 'worktrees', 'x', 'gitdir'), `${arena.workspace.root}/.git\n`);
		},
	}),
	...each({
		...{ name: 'hides an edit of the suite from its index', ids: 'T078 T070', expect: 'REJ' },
		act: async ({ folder }) => {
			await git(folder, 'update-index', '--skip-worktree', 'kapso_evaluation/tolerance.txt');
			await git(folder, 'update-index', '--assume-unchanged', 'kapso_evaluation/inputs.txt');
			await writeFile(join(folder, 'kapso_evaluation', 'tolerance.txt'), '1000000000\n');
		},
	}),
	...each({
		...{ name: 'edits the suite, runs it and restores it', ids: 'T078', expect: 'NEU' },
		act: async ({ folder }) => {
			const path = join(folder, 'kapso_evaluation', 'tolerance.txt');
			const before = await readFile(path);
			await writeFile(path, '1000000000\n');
			await writeFile(path, before);
		},
	}),
	...each({
		...{ name: 'edits the caller’s own folder', ids: 'T094', expect: 'NEU' },
		afterFinalise: async (later) => {
			const path = join(later.arena.suite.source, 'tolerance.txt');
			const before = await readFile(path);
			await writeFile(path, '1000000000\n');
			const noticed = await recheckSource(later.arena.suite).then(
				() => false,
				() => true,
			);
			await writeFile(path, before);
			if (!noticed) await writeFile(later.mark, 'the source was not looked at again');
		},
	}),
	...each({ name: 'looks for other candidates in the history', ids: 'T098 T106', expect: 'NEU', act: searchHistory }),
	...each({
		...{ name: 'commits a tree with one name twice', ids: 'T076', expect: 'REJ' },
		act: (site) =>
			commitTree(site, () => [
				['100644', programFile[site.language]],
				['100644', programFile[site.language]],
			]),
	}),
	...each({
		...{ name: 'commits a tree with a padded mode', ids: 'T076', expect: 'REJ' },
		act: (site) => commitTree(site, () => [['0100644', programFile[site.language]]]),
	}),
	...each({
		...{ name: 'commits a tree with names that lead outside', ids: 'T076 T077', expect: 'REJ' },
		act: (site) =>
			commitTree(site, () => [
				['100644', '..'],
				['100644', '.GIT'],
			]),
	}),
	...each({
		...{ name: 'commits a tree with a name of 300 bytes', ids: 'T076', expect: 'REJ' },
		act: (site) =>
			commitTree(site, () => [
				['100644', 'n'.repeat(300)],
				['100644', programFile[site.language]],
			]),
	}),
	...each({
		...{ name: 'commits a gitlink under the suite', ids: 'T074', expect: 'REJ' },
		act: async ({ folder, arena }) => {
			await git(folder, 'update-index', '--add', '--cacheinfo', `160000,${arena.parent},kapso_evaluation/more`);
			await git(folder, 'commit', '--quiet', '--message', 'gitlink');
			await git(folder, 'checkout', '--quiet', '-b', 'rest', 'HEAD~1');
			await rm(join(folder, 'notes.md'));
		},
	}),
	...each({
		...{ name: 'has a name with a line end in it', ids: 'T076', expect: 'REJ' },
		change: { 'a\nkapso_evaluation/tolerance.txt': '9\n' },
	}),
	...each({
		...{ name: 'links to files outside of its folder', ids: 'T016 T099', expect: 'REJ' },
		change: { 'labels.txt': { link: '../../data/labels.txt' }, passwd: { link: '/etc/passwd' } },
	}),
	...each({
		...{ name: 'hard-links files of the caller’s into its folder', ids: 'T067 T124', expect: 'NEU' },
		act: async ({ folder, arena }) => {
			await link(join(arena.folder, 'seed', 'README.md'), join(folder, 'linked.md'));
		},
	}),
	...each({
		...{ name: 'brings pipes and sockets', ids: 'T124', expect: 'NEU' },
		act: async ({ folder, arena }) => {
			await run({ argv: ['mkfifo', 'pipe'], cwd: folder, env: { PATH: arena.path } });
			await symlink('README.md', join(folder, 'also'));
		},
	}),
];
