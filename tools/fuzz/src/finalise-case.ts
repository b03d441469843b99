import { existsSync, mkdirSync } from 'node:fs';
import { agentStates } from './agent-states.ts';
import type { Damage } from './damage.ts';
import { brief, differences, mustBeSame } from './explain.ts';
import { type Content, type Path, put, readAll, show } from './files.ts';
import { git, plainGit } from './plain-git.ts';
import { readRepository } from './repository-state.ts';
import { applySome, type Case, cloneFolder, refusal } from './situation.ts';

type Finalised = Awaited<ReturnType<Case['world']['workspace']['finalise']>>;

/** An agent's clone is made, worked in, made a candidate of, and removed: everything in it must be accounted for. */
export async function finaliseCase(one: Case): Promise<{ refused: boolean; damage: Damage[] }> {
	const { world, dice, log } = one;
	const { workspace, root } = world;
	const [, parentCommit] = dice.pick([...world.branches]);
	const folder = cloneFolder(one);
	if (dice.chance(0.08)) return reuseFolder(one, parentCommit, folder);
	const clone = await workspace.createAgentClone({ commit: parentCommit, folder });
	const parent = await world.oracle.files(parentCommit);
	const damage = differences(parent, readAll(folder, isGit), 'fresh clone', 'unexplained');
	const tracked = [...parent.keys()].filter((path) => parent.get(path)!.startsWith('100'));
	await applySome(one, agentStates, { world, folder, dice, tracked }, 5);

	const before = { clone: readAll(folder), repository: await readRepository(root) };
	const commits = await commitsOf(folder, root);
	const branch = dice.chance(0.1) ? 'generic_exp_0' : `made/by_${dice.integer(1e6)}`;
	let result: Finalised | null = null;
	try {
		result = await workspace.finalise({ clone, parentCommit, branch, message: 'made' });
		log(`${result.status} ${result.notes.join('; ')}`);
	} catch (error) {
		refusal(error, log);
	}
	damage.push(...differences(before.clone, readAll(folder), 'clone', 'bytes'));
	const after = await readRepository(root);
	damage.push(...mustBeSame(before.repository, after, 'finalise'));
	if (result === null) return { refused: true, damage };

	const lost = result.notes.some((note) => /broken|gone or is not a folder|do not pass/.test(note));
	const kept = new Set((await git(root, ['rev-list', '--all'])).split('\n'));
	for (const commit of lost ? [] : commits) {
		if (!kept.has(commit)) damage.push({ kind: 'bytes', what: `the agent’s commit ${commit} is in no ref` });
	}
	damage.push(...(await accountFor(one, { result, parent, files: before.clone, branch, parentCommit })));
	const checked = await plainGit(root, [
		'fsck',
		'--strict',
		'--no-dangling',
		'--connectivity-only',
		...(result.status === 'committed' ? [result.commit] : []),
	]);
	const strict = await plainGit(root, ['fsck', '--strict', '--no-dangling']);
	if (checked.exitCode !== 0 || strict.exitCode !== 0)
		damage.push({ kind: 'unexplained', what: `fsck: ${strict.stderr}` });
	await workspace.removeClone(clone);
	if (existsSync(folder)) damage.push({ kind: 'unexplained', what: 'the clone was not removed' });
	return { refused: false, damage };
}

async function reuseFolder(one: Case, commit: string, folder: string): Promise<{ refused: boolean; damage: Damage[] }> {
	one.log('into a folder that an agent has touched');
	mkdirSync(folder, { recursive: true });
	for (const path of ['out.log', 'a.txt', 'mine.txt'].slice(0, 1 + one.dice.integer(3)))
		put(folder, path, '100644 precious\n');
	const before = readAll(folder);
	try {
		await one.world.workspace.createAgentClone({ commit, folder });
	} catch (error) {
		refusal(error, one.log);
		return { refused: true, damage: differences(before, readAll(folder), 'touched folder', 'bytes') };
	}
	return { refused: false, damage: [{ kind: 'unexplained', what: 'a folder that was not empty became a clone' }] };
}

/** Every file of the clone is in the candidate, or listed and archived; the candidate has nothing else. */
async function accountFor(
	one: Case,
	o: {
		result: Finalised;
		parent: ReadonlyMap<Path, Content>;
		files: ReadonlyMap<Path, Content>;
		branch: string;
		parentCommit: string;
	},
): Promise<Damage[]> {
	const { result, parent, files, branch, parentCommit } = o;
	const damage: Damage[] = [];
	const tree = result.status === 'committed' ? await one.world.oracle.files(result.codeCommit) : parent;
	const taken = result.notes.some((note) => note.startsWith('taken from'));
	const archive = readArchive(result.archive);
	const listed = new Set(result.ignored.map(({ path }) => path));
	for (const [path, content] of files) {
		if (content === 'folder' || isGit(path) || isNestedGit(path)) continue;
		if (tree.get(path) === content && !isState(path)) continue;
		if (taken && parent.get(path) === content) continue;
		const name = Buffer.from(path, 'latin1').toString('utf8');
		if (parent.get(path) === content && isState(path)) continue;
		const kept = archive.get(name);
		if (isOfNested(path) && result.status === 'committed' && files.get('.gitignore') !== '100644 *\n') {
			damage.push({ kind: 'bytes', what: `${show(path)} of a repository inside is not in the candidate` });
			continue;
		}
		if (listed.has(name) && (kept === 'omitted' || kept === content || (content === 'special' && kept === 'omitted')))
			continue;
		damage.push({
			kind: 'bytes',
			what: `${show(path)} of the clone is neither in the candidate nor archived: ${brief(content)}, ${brief(kept)}`,
		});
	}
	for (const [path, content] of tree) {
		if (isState(path) && parent.get(path) !== content)
			damage.push({ kind: 'unexplained', what: `${show(path)} is the engine’s` });
		if (!taken && !isState(path) && files.get(path) !== content)
			damage.push({ kind: 'unexplained', what: `${show(path)} of the candidate was not in the clone` });
		if (content.startsWith('160000'))
			damage.push({ kind: 'bytes', what: `${show(path)} is a link to a commit that nobody has` });
		if (!parent.has(path) && hasBadName(path, tree, parent))
			damage.push({ kind: 'unexplained', what: `a candidate has the name ${show(path)}` });
	}
	if (result.status === 'no-change') return damage;
	const refs = await git(one.world.root, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
	if (refs !== result.commit) damage.push({ kind: 'refs', what: `${branch} is at ${refs}, not at ${result.commit}` });
	const lineage = await git(one.world.root, ['rev-list', '--parents', '--max-count=1', result.codeCommit]);
	if (lineage !== `${result.codeCommit} ${parentCommit}`)
		damage.push({ kind: 'unexplained', what: `lineage ${lineage}` });
	return damage;
}

const isGit = (path: Path) => path === '.git' || path.startsWith('.git/');
const isNestedGit = (path: Path) => /\/\.git(\/|$)/.test(path);
/** See the agent state that puts a repository there; the one in `cache/` is ignored. */
const isOfNested = (path: Path) => /^(vendor|dir\/sub\/lib)\/inside\.txt$/.test(path);
const isState = (path: Path) => path === '.kapso' || path.startsWith('.kapso/');

function hasBadName(path: Path, tree: ReadonlyMap<Path, Content>, parent: ReadonlyMap<Path, Content>): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
	if (/[\x00-\x1f\x7f]/.test(path)) return true;
	const text = Buffer.from(path, 'latin1').toString('utf8');
	if (Buffer.from(text, 'utf8').toString('latin1') !== path) return true;
	const fold = (name: Path) => Buffer.from(name, 'latin1').toString('utf8').normalize('NFC').toLowerCase();
	return [...tree.keys()].some((other) => other !== path && !parent.has(other) && fold(other) === fold(path));
}

function readArchive(archive: Uint8Array | null): ReadonlyMap<string, Content | 'omitted'> {
	const kept = new Map<string, Content>();
	if (archive === null) return kept;
	const { files, omitted } = JSON.parse(Buffer.from(archive).toString('utf8')) as {
		files: { path: string; mode?: string; base64?: string; link?: string }[];
		omitted: string[];
	};
	for (const { path, mode, base64, link } of files) {
		const content =
			link === undefined
				? `${mode} ${Buffer.from(base64 ?? '', 'base64').toString('latin1')}`
				: `120000 ${Buffer.from(link).toString('latin1')}`;
		kept.set(path, content);
	}
	for (const path of omitted) kept.set(path, 'omitted');
	return kept;
}

/** Commits of the clone that the campaign does not have yet. */
async function commitsOf(folder: string, root: string): Promise<string[]> {
	if (!existsSync(`${folder}/.git/objects`)) return [];
	const listed = await plainGit(folder, [
		`--git-dir=${folder}/.git`,
		'-c',
		'core.fsmonitor=false',
		'rev-list',
		'--all',
		'HEAD',
	]);
	if (listed.exitCode !== 0) return [];
	const known = new Set((await git(root, ['rev-list', '--all'])).split('\n'));
	return listed.stdout
		.trim()
		.split('\n')
		.filter((commit) => commit !== '' && !known.has(commit));
}
