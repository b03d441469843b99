import type { Operation } from './case.ts';

/** One protection of the workspace, by the edit of its source that takes it out. */
export interface Plant {
	readonly name: string;
	/** What it protects from. */
	readonly protects: string;
	/** The operation that relies on it: only that one is tried. */
	readonly operation: Operation;
	/** `find` stands exactly once in the file below `packages/workspace-git/src`. */
	readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

function plant(
	operation: Operation,
	name: string,
	protects: string,
	file: string,
	find: string,
	replace: string,
): Plant {
	return { operation, name, protects, edits: [{ file, find, replace }] };
}

export const plants: readonly Plant[] = [
	// The safe switch.
	plant(
		'switch',
		'operations',
		'a merge, a squash or a bisect that is forgotten',
		'switch-preflight.ts',
		"return operations.length > 0 ? { reason: 'operation-in-progress', paths: operations } : null;",
		'return null;',
	),
	plant(
		'switch',
		'local-changes',
		'a deletion of the user’s that is taken back',
		'switch-preflight.ts',
		'const edited = (await editedPaths(repository)).filter((path) => changed.has(path));',
		'const edited: PathBytes[] = [];',
	),
	plant(
		'switch',
		'hidden-edits',
		'edits that Git was told not to look at',
		'switch-preflight.ts',
		'edited.push(...(await hiddenEdits(repository, changed)));',
		'',
	),
	plant(
		'switch',
		'times-of-the-index',
		'an edit in the second in which Git looked',
		'switch-preflight.ts',
		'|| (await isSameSecond(absolutePath(root, path), seconds, nanoseconds));',
		';',
	),
	plant(
		'switch',
		'folders-on-the-way',
		'links and nested repositories that are written into or replaced',
		'switch-preflight.ts',
		'const blocked = await ancestorObstacle({ repository, path, leaves, folders });',
		'const blocked = (await ancestorObstacle({ repository, path, leaves, folders }))?.reason === "absent" ? { reason: "absent" as const, path } : null;',
	),
	plant(
		'switch',
		'new-paths',
		'an empty folder where the target has a file',
		'switch-preflight.ts',
		'if (stat === null) return [];',
		'return [];',
	),
	plant(
		'switch',
		'unborn-branches',
		'the look before a switch from a branch without a commit',
		'safe-switch.ts',
		'? await unstagedPaths(repository, target.commit)',
		'? []',
	),
	{
		operation: 'switch',
		name: 'overwrite-ignore',
		protects: 'an ignored file that appears after the look',
		edits: [
			{ file: 'safe-switch.ts', find: "'--no-overwrite-ignore', ", replace: '' },
			{ file: 'git/vocabulary.ts', find: "!args.includes('--no-overwrite-ignore') ||", replace: '' },
		],
	},
	plant(
		'switch',
		'intent',
		'a switch that failed half-way and is left so',
		'safe-switch.ts',
		'await writeIntent(gitDir, { from: head, to: target.commit });',
		'{}',
	),
	plant(
		'switch',
		'verification',
		'a Git that says that it switched and did not',
		'safe-switch.ts',
		'if (head === target.commit && branch === target.branch && differences.length === 0) return;',
		'return;',
	),
	plant(
		'reopen',
		'unexplained-paths',
		'an edit that was made after a switch was killed',
		'switch-recovery.ts',
		"if (state === 'unexplained') unexplained.push(change.path);",
		"if (state === 'unexplained') repair.push(change);",
	),
	plant(
		'reopen',
		'foreign-locks',
		'another program’s lock',
		'switch-recovery.ts',
		'if (stat !== null && stat.mtimeMs >= begun) await rm(lock, { force: true });',
		'if (stat !== null && begun > 0) await rm(lock, { force: true });',
	),
	// Git's own surprises.
	plant(
		'switch',
		'hooks',
		'programs of the user’s',
		'git/environment.ts',
		"\t'core.hooksPath=/dev/null',\n\t'core.fsmonitor=false',\n\t'core.untrackedCache=false',\n\t'core.splitIndex=false',",
		"\t'core.splitIndex=false',",
	),
	plant(
		'switch',
		'replace-refs',
		'an object that stands for another',
		'git/environment.ts',
		"\t\tGIT_NO_REPLACE_OBJECTS: '1',\n\t\tGIT_NO_LAZY",
		'\t\tGIT_NO_LAZY',
	),
	plant(
		'finalise',
		'attributes',
		'filters and line ends',
		'repository-files.ts',
		"'* -text !eol -filter -ident -working-tree-encoding !diff !merge\\n'",
		"'# none\\n'",
	),
	// Candidates.
	plant(
		'finalise',
		'touched-folders',
		'a clone in a folder that an agent has touched',
		'agent-clone.ts',
		'if ((await readdir(folder)).length > 0) {',
		'if ((await readdir(folder)).length > 1e9) {',
	),
	plant(
		'finalise',
		'agent-commits',
		'work that was committed on another branch',
		'finalise.ts',
		'const wanted = tips.map(({ commit }) => [`${prefix}/${commit}`, commit] as const);',
		'const wanted = tips.slice(0, 0).map(({ commit }) => [`${prefix}/${commit}`, commit] as const);',
	),
	plant('finalise', 'archive', 'ignored files', 'finalise.ts', 'leftOut: snapshot.leftOut,', 'leftOut: [],'),
	plant(
		'finalise',
		'nested-repositories',
		'the files of a repository inside',
		'snapshot.ts',
		'if (nested.length > 0) await takeNestedAsFiles({ git, call, nested, files: walked.files });',
		'',
	),
	plant(
		'finalise',
		'path-policy',
		'names that one reader sees and another does not',
		'snapshot.ts',
		'if (problems.length > 0) throw rejected(problems);',
		'if (problems.length > 1e9) throw rejected(problems);',
	),
	plant(
		'finalise',
		'state-folder',
		'a candidate that writes the engine’s state',
		'snapshot.ts',
		'if (indexInfo(mine).equals(indexInfo(wanted))) return null;',
		'if (mine.length + wanted.length >= 0) return null;',
	),
	{
		operation: 'finalise',
		name: 'object-checks',
		protects: 'forged objects',
		edits: [
			{ file: 'git/environment.ts', find: '`fetch.fsckObjects=${o.fsck}`', replace: "'fetch.fsckObjects=false'" },
			{ file: 'ingest.ts', find: "['unpack-objects', '-q', '--strict']", replace: "['unpack-objects', '-q']" },
		],
	},
	plant(
		'finalise',
		'refs-created-once',
		'a branch that is moved',
		'references.ts',
		'.map(([name, id]) => `create ${name}\\0${id}\\0`)',
		'.map(([name, id]) => `update ${name}\\0${id}\\0\\0`)',
	),
	// Worktrees and plain folders.
	plant(
		'materialise',
		'rescue',
		'a commit that was made inside a worktree',
		'materialize.ts',
		'await rescue(repository, worktree.id, registered.head);',
		'',
	),
	plant(
		'materialise',
		'owners',
		'a worktree that another engine uses',
		'materialize.ts',
		'if (!(await isOwnerDead(ownerFile(path)))) continue;\n\t\tif (!(await isLeftByEveryone(path))) continue;\n\t\tconst stat',
		'const stat',
	),
	{
		operation: 'reopen',
		name: 'only-our-worktrees',
		protects: 'the user’s own worktrees',
		edits: [
			{
				file: 'materialize.ts',
				find: 'if (!path.startsWith(`${base}/`) || lockReason === null) continue;',
				replace: 'if (path === repository.root) continue;',
			},
			{
				file: 'materialize.ts',
				find: "if (!lockReason.startsWith(reasonPrefix) && lockReason !== 'initializing') continue;",
				replace: '',
			},
			{
				file: 'materialize.ts',
				find: 'if (!(await isOwnerDead(ownerFile(path)))) continue;\n\t\tif (!(await isLeftByEveryone(path))) continue;\n\t\tconst stat',
				replace: 'if (path.startsWith(base)) continue;\n\t\tconst stat',
			},
		],
	},
	plant(
		'materialise',
		'fresh-folders',
		'a folder that holds something',
		'materialize-tree.ts',
		'if ((await readdir(options.to)).length > 0) {',
		'if ((await readdir(options.to)).length > 1e9) {',
	),
	plant(
		'materialise',
		'tree-policy',
		'links that leave a plain folder',
		'plain-files.ts',
		'if (problems.length > 0) throw treePathPolicy(problems);',
		'',
	),
	plant(
		'materialise',
		'pool-proof',
		'a folder that is used again and is not what it is said to be',
		'tree-pool.ts',
		'(await prover.difference(folder.path, files)) === null ?',
		'(await prover.difference(folder.path, files)) !== undefined ?',
	),
	// New campaigns.
	plant(
		'open',
		'occupied-folders',
		'a campaign in a folder of the user’s',
		'open-workspace.ts',
		"if (state === 'other') {",
		"if (state === 'other' && root === '') {",
	),
	plant(
		'open',
		'output-in-seed',
		'a campaign inside its own seed',
		'seed.ts',
		'if (isInside(output, path) || isInside(path, output)) {',
		"if (output === '') {",
	),
	plant(
		'open',
		'secrets',
		'secrets before a model',
		'seed-folder.ts',
		'if (secrets.length === 0) return;',
		'if (secrets.length >= 0) return;',
	),
	plant(
		'open',
		'large-files',
		'pointers instead of files',
		'seed-repository.ts',
		'if (pointers.length > 0) {',
		'if (pointers.length > 1e9) {',
	),
	plant(
		'open',
		'uncommitted-report',
		'uncommitted files that are left out without a word',
		'create-campaign.ts',
		'if (!options.includeUncommitted || uncommitted.length === 0) return { commit: head, uncommitted };',
		'if (!options.includeUncommitted || uncommitted.length === 0) return { commit: head, uncommitted: [] };',
	),
];
