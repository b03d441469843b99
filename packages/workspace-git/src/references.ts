import { KapsoError } from '@kapso-evolve/contracts';
import { gitFailed } from './git/runner.ts';
import { isObjectId } from './object-id.ts';
import type { Repository } from './repository.ts';

/** The commit of a branch, or of anything else that Git can name; a branch wins over a tag of the same name. */
export async function resolveCommit(repository: Repository, ref: string): Promise<string> {
	for (const name of isObjectId(ref) ? [ref] : [`refs/heads/${ref}`, ref]) {
		const answer = await repository.git.run(
			['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
			{ gitDir: repository.gitDir },
		);
		const id = answer.stdout.toString('latin1').trim();
		if (answer.exitCode === 0 && isObjectId(id)) return id;
	}
	throw unknownRef(ref);
}

export function unknownRef(ref: string): KapsoError {
	return new KapsoError({
		code: 'UNKNOWN_REF',
		category: 'usage',
		message: `Unknown Git ref: ${ref}`,
		hint: 'See `git branch --list` in the campaign folder for the candidates that exist.',
		data: { ref },
	});
}

/** Full ref name -> id, for every ref below a prefix. */
export async function listReferences(
	repository: Pick<Repository, 'git' | 'gitDir'>,
	prefix: string,
): Promise<Map<string, string>> {
	const output = await repository.git.ok(['for-each-ref', '--format=%(objectname) %(refname)', prefix], {
		gitDir: repository.gitDir,
	});
	const lines = output
		.toString('utf8')
		.split('\n')
		.filter((line) => line !== '');
	return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}

/** Creates refs, all or none; a ref that exists is never moved: `REF_EXISTS`. */
export async function createReferences(repository: Repository, refs: ReadonlyMap<string, string>): Promise<void> {
	const argv = ['update-ref', '--create-reflog', '--stdin', '-z'];
	const stdin = [...refs].map(([name, id]) => `create ${name}\0${id}\0`).join('');
	const answer = await repository.git.run(argv, { gitDir: repository.gitDir, stdin });
	if (answer.exitCode === 0) return;
	const existing = [];
	for (const name of refs.keys()) if ((await listReferences(repository, name)).size > 0) existing.push(name);
	if (existing.length === 0) throw gitFailed(argv, answer);
	throw new KapsoError({
		code: 'REF_EXISTS',
		category: 'infrastructure',
		message: `${existing.join(', ')} exists already: a candidate's ref is created once and never moved`,
		hint: 'A repeated attempt takes a new name.',
		data: { refs: existing, git: answer.stderr.trim() },
	});
}

/** Moves a ref from exactly one value to another. */
export async function moveReference(
	repository: Repository,
	move: { readonly name: string; readonly from: string; readonly to: string },
): Promise<void> {
	await repository.git.ok(['update-ref', '--create-reflog', '--stdin', '-z'], {
		gitDir: repository.gitDir,
		stdin: `update ${move.name}\0${move.to}\0${move.from}\0`,
	});
}

/** Stricter than Git's own rules: names that a shell, a URL and every file system take as they are. */
export function checkBranchName(branch: string): void {
	const parts = branch.split('/');
	const isPlain = parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part) && !/\.\.|\.$|\.lock$/.test(part));
	if (isPlain && branch !== 'HEAD' && parts[0] !== 'refs' && branch.length <= 200) return;
	throw new KapsoError({
		code: 'BRANCH_NAME',
		category: 'usage',
		message: `${JSON.stringify(branch)} is not a name for a candidate's branch`,
		hint: 'Use letters, digits, _ - . and / as in generic_exp_3.',
		data: { branch },
	});
}

/** Throws `REF_NOT_CREATED` unless every ref is at its commit and the commit is there. */
export async function proveReferences(repository: Repository, refs: ReadonlyMap<string, string>): Promise<void> {
	const names = [...refs.keys()].map((name) => `${name}^{commit}`);
	const answer = await repository.git.run(['rev-parse', ...names], { gitDir: repository.gitDir });
	if (answer.exitCode === 0 && answer.stdout.toString('latin1').trim() === [...refs.values()].join('\n')) return;
	throw new KapsoError({
		code: 'REF_NOT_CREATED',
		category: 'infrastructure',
		message: `${[...refs.keys()].join(', ')} cannot be read back: ${answer.stderr.trim()}`,
		hint: 'The folder that the agent worked in is kept. Run `git fsck` in the campaign folder.',
		data: { refs: Object.fromEntries(refs) },
	});
}
