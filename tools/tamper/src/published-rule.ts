import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KapsoError, sha256, suiteFolder } from '@kapso-evolve/contracts';
import { run, sandboxArgv } from '@kapso-evolve/process';
import { git } from '@kapso-evolve/testkit';
import type { Arena } from './arena.ts';
import { applyChange, readNumber } from './attempt.ts';
import type { HonestCase, TamperCase } from './case.ts';
import type { Oracle } from './oracle.ts';
import { scorerFile } from './suite.ts';

/** The suffixes that document 000 and its reference implementation call source or configuration. */
const suffixes = new Set(
	'c cc cfg cpp go java js jsx ipynb ini pl ps1 py r rb rs sh bash sql toml ts tsx yaml yml zsh'.split(' '),
);

export interface PublishedResult {
	readonly valid: boolean;
	/** What the agent's own run of the suite gave: the number that the rule lets stand. */
	readonly score: number | null;
}

let runs = 0;

/**
 * The bare published rule on the same candidate: the agent runs the suite of its own clone and reports the number; then
 * the provided files are compared by hash in a worktree that Git checks out, and new files are refused by suffix and by
 * executable bit. The agent's run happens in a box without a network so that the corpus cannot hurt this machine, which
 * the rule itself does not ask for.
 */
export async function underPublishedRule(
	arena: Arena,
	what: TamperCase | HonestCase,
	oracle: Oracle,
): Promise<PublishedResult> {
	const number = ++runs;
	const folder = join(arena.folder, 'published', `${number}`);
	await mkdir(join(arena.folder, 'published'), { recursive: true });
	await arena.workspace.createAgentClone({ commit: arena.parent, folder });
	const mark = join(arena.folder, `published-mark-${number}`);
	const site = { arena, language: arena.language, folder, mark, port: oracle.port, socket: oracle.socket };
	await applyChange(folder, { 'notes.md': `${what.name}\n`, ...what.change });
	await what.act?.(site);
	const score = await agentRuns(arena, folder);
	try {
		await git(folder, 'add', '--all');
		await git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'candidate');
		const worktree = `${folder}-judged`;
		await git(folder, 'worktree', 'add', '--quiet', '--force', '--detach', worktree, 'HEAD');
		return { valid: await isUnchanged(arena, worktree), score };
	} catch (thrown) {
		if (!(thrown instanceof Error)) throw thrown;
		return { valid: false, score }; // Git itself refused what the agent left
	}
}

async function agentRuns(arena: Arena, folder: string): Promise<number | null> {
	const program = { node: process.execPath, python: 'python3', shell: 'sh' }[arena.language];
	const argv = [program, `${suiteFolder}/${scorerFile(arena.language)}`];
	const mount = { source: folder, at: '/work' };
	const node = { source: process.execPath, at: '/node' };
	const inside = arena.language === 'node' ? ['/node', ...argv.slice(1)] : argv;
	await run({
		argv: sandboxArgv(arena.sandbox, { argv: inside, cwd: '/work', readOnly: [node], writable: [mount] }),
		cwd: '/',
		env: { PATH: arena.path, HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8' },
		deadlineMs: 5_000,
		graceMs: 0,
		limits: { processes: 40, memoryBytes: 2 ** 30, cpuMs: 4_000 },
	}).catch((thrown) => {
		if (!KapsoError.isInstance(thrown)) throw thrown;
	});
	return readNumber(join(folder, suiteFolder, 'result.json'));
}

async function isUnchanged(arena: Arena, worktree: string): Promise<boolean> {
	const root = join(worktree, suiteFolder);
	const found = new Map<string, 'file' | 'executable' | 'other'>();
	const visit = async (relative: string): Promise<void> => {
		for (const entry of await readdir(join(root, relative), { withFileTypes: true })) {
			const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
			if (entry.isDirectory()) await visit(path);
			else if (!entry.isFile()) found.set(path, 'other');
			else found.set(path, (await lstat(join(root, path))).mode & 0o111 ? 'executable' : 'file');
		}
	};
	try {
		await visit('');
		for (const { path, sha256: expected } of arena.suite.entries) {
			if (sha256(await readFile(join(root, path))) !== expected) return false;
			found.delete(path);
		}
	} catch {
		return false; // a provided file is missing, or is no file any more
	}
	return [...found].every(([path, kind]) => {
		const names = path.split('/');
		if (names.slice(0, -1).some((name) => name === '__pycache__')) return true;
		const suffix = /\.([^.]+)$/.exec(names.at(-1)!)?.[1]?.toLowerCase();
		return kind !== 'executable' && !(suffix !== undefined && suffixes.has(suffix));
	});
}
