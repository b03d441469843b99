import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dice } from './dice.ts';
import { at, type Path, put, read, remove } from './files.ts';
import { git, plainGit } from './plain-git.ts';
import { candidatePaths, oddPaths } from './trees.ts';
import type { World } from './world.ts';

interface Situation {
	readonly world: World;
	readonly folder: string;
	readonly dice: Dice;
	/** Paths that the clone started with. */
	readonly tracked: readonly Path[];
}

const edit = (folder: string, path: Path, text: string) => put(folder, path, `100644 ${text}`);
const hasGit = (folder: string) => existsSync(join(folder, '.git', 'HEAD'));
const commit = (folder: string, ...flags: string[]) =>
	plainGit(folder, ['commit', '--quiet', '--no-verify', '--message', 'work', ...flags]);

/** What an agent leaves in its clone. */
export const agentStates: Readonly<Record<string, (s: Situation) => unknown>> = {
	'edits a file': ({ folder, dice, tracked }) => edit(folder, dice.pick(tracked), dice.text()),
	'makes a file': ({ folder, dice }) => edit(folder, dice.pick(candidatePaths), dice.text()),
	'deletes a file': ({ folder, dice, tracked }) => remove(folder, dice.pick(tracked)),
	'changes a mode': ({ folder, dice, tracked }) => {
		const path = dice.pick(tracked);
		if (read(folder, path)?.startsWith('100644')) chmodSync(at(folder, path), 0o755);
	},
	'makes a link': ({ world, folder, dice }) =>
		put(
			folder,
			dice.pick(['link', 'new', 'dir', 'a.txt']),
			`120000 ${dice.pick(['same.txt', Buffer.from(world.canary).toString('latin1'), '../../..', 'nowhere'])}`,
		),
	'leaves ignored files': ({ folder, dice }) =>
		edit(
			folder,
			dice.pick(['weights.log', 'cache/deep/model.bin', '.env', 'dir/trace.log', '__pycache__/x.pyc']),
			dice.text(),
		),
	'leaves an ignored link': ({ world, folder }) =>
		put(folder, 'cache/link', `120000 ${Buffer.from(world.canary).toString('latin1')}`),
	'ignores everything': ({ folder }) => edit(folder, '.gitignore', '*\n'),
	'has a name that a candidate cannot have': ({ folder, dice }) => edit(folder, dice.pick(oddPaths), dice.text()),
	'has twins in case': ({ folder, dice }) => {
		edit(folder, 'README', dice.text());
		edit(folder, 'readme', dice.text());
	},
	'makes a FIFO': ({ folder }) => {
		if (!existsSync(join(folder, 'pipe'))) execFileSync('mkfifo', [join(folder, 'pipe')]);
	},
	'writes into the state folder': ({ folder, dice }) =>
		edit(folder, dice.pick(['.kapso/run_state.json', '.kapso/repo_memory.json']), dice.text()),
	'has a repository inside': ({ world, folder, dice }) => {
		const path = dice.pick(['vendor', 'dir/sub/lib', 'cache/lib']);
		remove(folder, path);
		cpSync(world.nested, put0(folder, path), { recursive: true });
	},
	commits: async ({ folder, dice }) => {
		if (!hasGit(folder)) return;
		edit(folder, dice.pick(['work.txt', 'a.txt']), dice.text());
		await plainGit(folder, ['add', '--all', '--', ':!pipe']);
		await commit(folder);
	},
	'commits on another branch and comes back': async ({ folder, dice }) => {
		if (!hasGit(folder)) return;
		await plainGit(folder, ['switch', '--quiet', '--create', `side-${dice.integer(1000)}`]);
		edit(folder, `side-${dice.integer(1000)}.txt`, dice.text());
		await plainGit(folder, ['add', '--all', '--', ':!pipe']);
		await commit(folder);
		await plainGit(folder, ['switch', '--quiet', 'candidate']);
	},
	'commits on a detached HEAD': async ({ folder, dice }) => {
		if (!hasGit(folder)) return;
		await plainGit(folder, ['switch', '--quiet', '--detach']);
		edit(folder, 'detached.txt', dice.text());
		await plainGit(folder, ['add', '--all', '--', ':!pipe']);
		await commit(folder);
	},
	'stages without committing': ({ folder, dice }) => {
		edit(folder, 'staged.txt', dice.text());
		return hasGit(folder) && plainGit(folder, ['add', '--all', '--', ':!pipe']);
	},
	'has hooks, monitors and filters': ({ world, folder }) => {
		if (!hasGit(folder)) return;
		put(folder, '.git/hooks/pre-commit', `100755 #!/bin/sh\nexec '${world.tripwire}' </dev/null\n`);
		put(folder, '.git/hooks/reference-transaction', `100755 #!/bin/sh\nexec '${world.tripwire}' </dev/null\n`);
		edit(folder, '.gitattributes', '* filter=evil text eol=crlf\n');
		writeFileSync(
			join(folder, '.git/config'),
			`[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${world.tripwire}\n[filter "evil"]\n\tclean = ${world.tripwire}\n\tsmudge = ${world.tripwire}\n[uploadpack]\n\tpackObjectsHook = ${world.tripwire}\n`,
		);
	},
	'deletes its .git': ({ folder }) => rmSync(join(folder, '.git'), { recursive: true, force: true }),
	'breaks its .git': ({ folder, dice }) => {
		if (hasGit(folder))
			writeFileSync(join(folder, '.git', dice.pick(['HEAD', 'index', 'config', 'refs/heads/candidate'])), 'broken');
	},
	'moves its .git away': ({ folder }) => {
		if (hasGit(folder)) renameSync(join(folder, '.git'), join(folder, 'saved-git'));
	},
	'lets its .git point at the campaign': ({ world, folder }) => {
		rmSync(join(folder, '.git'), { recursive: true, force: true });
		writeFileSync(join(folder, '.git'), `gitdir: ${join(world.root, '.git')}\n`);
	},
	'leaves locks': ({ folder }) => {
		if (hasGit(folder)) writeFileSync(join(folder, '.git/index.lock'), '');
	},
	'forges an object': async ({ folder }) => {
		if (!hasGit(folder)) return;
		const blob = await plainGit(folder, ['hash-object', '-w', '--stdin'], 'x');
		if (blob.exitCode !== 0) return;
		const id = Buffer.from(blob.stdout.trim(), 'hex').toString('latin1');
		const tree = await git(
			folder,
			['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'],
			Buffer.from(`100644 .git\0${id}`, 'latin1'),
		);
		const made = await git(folder, ['commit-tree', '-m', 'forged', tree]);
		await plainGit(folder, ['update-ref', 'refs/heads/forged', made]);
	},
	'is in the middle of a merge': ({ folder }) => {
		if (hasGit(folder)) writeFileSync(join(folder, '.git/MERGE_HEAD'), `${'1'.repeat(40)}\n`);
	},
};

function put0(folder: string, path: Path): string {
	put(folder, path, 'folder');
	return join(folder, path);
}
