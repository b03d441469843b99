import { KapsoError } from '@kapso-evolve/contracts';

/**
 * The Git verbs that the engine speaks. What is not here cannot be said: `clean`, `reset`, `stash`, `push`, `checkout`,
 * `restore`, `gc`, `prune`, `rm`, `merge`, `rebase` and `branch` are all ways to lose something of the user's.
 */
const verbs: ReadonlySet<string> = new Set([
	'add',
	'cat-file',
	'check-ignore',
	'checkout-index',
	'clone',
	'commit-tree',
	'diff-files',
	'diff-index',
	'diff-tree',
	'fetch',
	'for-each-ref',
	'fsck',
	'hash-object',
	'index-pack',
	'init',
	'ls-files',
	'ls-remote',
	'ls-tree',
	'merge-base',
	'pack-objects',
	'read-tree',
	'rev-list',
	'rev-parse',
	'status',
	'switch',
	'symbolic-ref',
	'unpack-objects',
	'update-index',
	'update-ref',
	'version',
	'worktree',
	'write-tree',
]);

/** Calls that write over files: their caller says why those files are the engine's to write. */
const overwriting: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
	'read-tree': (args) => args.includes('-u') || args.includes('--reset'),
	'checkout-index': () => true,
	worktree: (args) => args[0] === 'remove',
};

const neverAllowed: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
	'update-ref': (args) => args.some((word) => word === '-d' || word === '--no-deref'),
	'symbolic-ref': (args) => args.some((word) => word === '-d' || word === '--delete'),
	switch: (args) =>
		!args.includes('--no-overwrite-ignore') ||
		args.some((word) => ['-f', '--force', '--discard-changes', '-C', '--force-create', '-m', '--merge'].includes(word)),
	worktree: (args) => !['add', 'remove', 'list'].includes(args[0] ?? ''),
	fetch: (args) => args.some((word) => word === '--force' || word === '-f' || word === '--prune' || word === '-p'),
};

/** Throws `GIT_VERB_REFUSED` for a command line that could destroy what is not ours. */
export function checkVocabulary(argv: readonly string[], mayOverwrite: string | undefined): void {
	const [verb = '', ...args] = argv;
	const refused =
		!verbs.has(verb) || neverAllowed[verb]?.(args) || (overwriting[verb]?.(args) && mayOverwrite === undefined);
	if (!refused) return;
	throw new KapsoError({
		code: 'GIT_VERB_REFUSED',
		category: 'infrastructure',
		message: `the engine does not run git ${argv.slice(0, 3).join(' ')}: it could destroy what is not the engine's`,
		hint: 'This is a defect of the engine; nothing was run.',
		data: { argv: [...argv] },
	});
}
