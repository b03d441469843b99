/** One way in which a user, a machine or a process above us has set Git up. `${home}` is the user's home. */
export interface HostileSetting {
	readonly name: string;
	/** Lines of the user's `.gitconfig`. */
	readonly config?: string;
	readonly environment?: Readonly<Record<string, string>>;
	/** Files below the home. */
	readonly files?: Readonly<Record<string, string>>;
	/** Settings of the seed's own repository. */
	readonly seedConfig?: readonly (readonly [string, string])[];
}

/** `tripwire` is a program that says that it ran; `outside` another repository; both below `home`'s folder. */
export function hostileSettings(o: { home: string; tripwire: string; outside: string }): readonly HostileSetting[] {
	const { home, tripwire, outside } = o;
	const hooks = ['pre-commit', 'post-checkout', 'reference-transaction', 'commit-msg', 'post-index-change', 'update'];
	const hookFiles = (folder: string) =>
		Object.fromEntries(hooks.map((hook) => [`${folder}/${hook}`, `#!${tripwire}\n`]));
	return [
		{ name: 'hooks for every repository', config: `[core]\nhooksPath = ${home}/hooks`, files: hookFiles('hooks') },
		{
			name: 'a template with hooks',
			config: `[init]\ntemplateDir = ${home}/template`,
			files: hookFiles('template/hooks'),
		},
		{
			name: 'GIT_TEMPLATE_DIR',
			environment: { GIT_TEMPLATE_DIR: `${home}/template` },
			files: hookFiles('template/hooks'),
		},
		{ name: 'a file system monitor', config: `[core]\nfsmonitor = ${tripwire}` },
		{ name: 'line ends of Windows', config: '[core]\nautocrlf = true\neol = crlf\nsafecrlf = true' },
		{ name: 'line ends on the way in', config: '[core]\nautocrlf = input' },
		{ name: 'ignore rules', config: `[core]\nexcludesFile = ${home}/ignore`, files: { ignore: '*.txt\n*.py\nnew*\n' } },
		{ name: 'ignore rules of the desktop', files: { '.config/git/ignore': '*\n' } },
		{
			name: 'attributes',
			config: `[core]\nattributesFile = ${home}/attributes\n[filter "evil"]\nclean = ${tripwire}\nsmudge = ${tripwire}\nrequired = true`,
			files: { attributes: '* text eol=crlf filter=evil diff=evil ident\n' },
		},
		{
			name: 'attributes of the desktop',
			files: { '.config/git/attributes': '* text eol=crlf working-tree-encoding=UTF-16\n' },
		},
		{ name: 'signatures', config: `[commit]\ngpgSign = true\n[tag]\ngpgSign = true\n[gpg]\nprogram = ${tripwire}` },
		{
			name: 'signatures by ssh',
			config: `[gpg]\nformat = ssh\n[gpg "ssh"]\nprogram = ${tripwire}\n[commit]\ngpgSign = true\n[user]\nsigningKey = key`,
		},
		{ name: 'another default branch', config: '[init]\ndefaultBranch = trunk' },
		{ name: 'another hash', environment: { GIT_DEFAULT_HASH: 'sha256' } },
		{ name: 'no safe directory', config: '[safe]\ndirectory =\nbareRepository = explicit' },
		{ name: 'no identity', config: '[user]\nuseConfigOnly = true' },
		{
			name: 'another identity',
			environment: {
				GIT_AUTHOR_NAME: 'x',
				GIT_AUTHOR_DATE: '@1 +0500',
				GIT_COMMITTER_EMAIL: 'y',
				GIT_COMMITTER_DATE: '@1 +0500',
				EMAIL: 'z',
			},
		},
		{ name: 'a language', environment: { LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de', LANG: 'tr_TR.UTF-8' } },
		{
			name: 'file systems of others',
			config: '[core]\nfileMode = false\nsymlinks = false\nignoreCase = true\nprecomposeUnicode = true',
		},
		{ name: 'careless comparison', config: '[core]\ntrustctime = false\ncheckStat = minimal' },
		{
			name: 'speed',
			config:
				'[core]\nuntrackedCache = true\nsplitIndex = true\npreloadIndex = true\ncommitGraph = true\nmultiPackIndex = true\n[index]\nversion = 4\nthreads = 8\n[feature]\nmanyFiles = true\nexperimental = true',
		},
		{
			name: 'sparse checkouts',
			config: '[core]\nsparseCheckout = true\nsparseCheckoutCone = true\n[index]\nsparse = true',
		},
		{
			name: 'housekeeping',
			config:
				'[gc]\nauto = 1\nautoDetach = false\npruneExpire = now\n[maintenance]\nauto = true\nstrategy = incremental\n[receive]\nautogc = true',
		},
		{ name: 'a credential helper', config: `[credential]\nhelper = ${tripwire}\n[core]\naskPass = ${tripwire}` },
		{ name: 'other addresses', config: '[url "/nowhere/"]\ninsteadOf = /\ninsteadOf = file:///' },
		{ name: 'no protocols', config: '[protocol]\nallow = never\nversion = 0' },
		{ name: 'GIT_ALLOW_PROTOCOL', environment: { GIT_ALLOW_PROTOCOL: 'none', GIT_PROTOCOL_FROM_USER: '0' } },
		{
			name: 'included settings',
			config: `[include]\npath = ${home}/more\n[includeIf "gitdir:/"]\npath = ${home}/more`,
			files: { more: `[core]\nhooksPath = ${home}/hooks\nautocrlf = true\n`, ...hookFiles('hooks') },
		},
		{
			name: 'settings by the environment',
			environment: {
				GIT_CONFIG_COUNT: '2',
				GIT_CONFIG_KEY_0: 'core.hooksPath',
				GIT_CONFIG_VALUE_0: `${home}/hooks`,
				GIT_CONFIG_KEY_1: 'core.autocrlf',
				GIT_CONFIG_VALUE_1: 'true',
			},
			files: hookFiles('hooks'),
		},
		{
			name: 'settings by parameters',
			environment: { GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${tripwire}' 'core.autocrlf=true'` },
		},
		{
			name: 'settings of the system',
			environment: { GIT_CONFIG_SYSTEM: `${home}/system` },
			files: {
				system: `[core]\nhooksPath = ${home}/hooks\nattributesFile = ${home}/attributes\n`,
				attributes: '* text eol=crlf\n',
				...hookFiles('hooks'),
			},
		},
		{
			name: 'settings elsewhere',
			environment: { GIT_CONFIG_GLOBAL: `${home}/global`, XDG_CONFIG_HOME: `${home}/xdg` },
			files: { global: '[core]\nautocrlf = true\n', 'xdg/git/ignore': '*\n' },
		},
		{
			name: 'another repository',
			environment: {
				GIT_DIR: `${outside}/.git`,
				GIT_WORK_TREE: outside,
				GIT_INDEX_FILE: `${outside}/.git/index`,
				GIT_COMMON_DIR: `${outside}/.git`,
			},
		},
		{
			name: 'another object store',
			environment: {
				GIT_OBJECT_DIRECTORY: `${outside}/.git/objects`,
				GIT_ALTERNATE_OBJECT_DIRECTORIES: `${outside}/.git/objects`,
			},
		},
		{
			name: 'a namespace',
			environment: {
				GIT_NAMESPACE: 'elsewhere',
				GIT_PREFIX: 'sub/',
				GIT_CEILING_DIRECTORIES: '/',
				GIT_DISCOVERY_ACROSS_FILESYSTEM: '0',
			},
		},
		{
			name: 'grafts and replacements',
			environment: {
				GIT_GRAFT_FILE: `${home}/grafts`,
				GIT_REPLACE_REF_BASE: 'refs/heads/',
				GIT_SHALLOW_FILE: `${home}/grafts`,
			},
			files: { grafts: `${'1'.repeat(40)} ${'2'.repeat(40)}\n` },
		},
		{ name: 'other pathspecs', environment: { GIT_LITERAL_PATHSPECS: '1', GIT_ICASE_PATHSPECS: '0' } },
		{
			name: 'traces',
			environment: {
				GIT_TRACE: `${home}.trace`,
				GIT_TRACE2_EVENT: `${home}.trace2`,
				GIT_TRACE_SETUP: '1',
				GIT_TRACE_PACKET: '1',
			},
		},
		{
			name: 'other diffs',
			config: `[diff]\nexternal = ${tripwire}\nnoprefix = true\nrenames = copies\nalgorithm = patience\norderFile = ${home}/order\n[color]\nui = always`,
			environment: { GIT_EXTERNAL_DIFF: tripwire, GIT_DIFF_OPTS: '--unified=0' },
			files: { order: 'z*\n' },
		},
		{
			name: 'programs to show and edit',
			config: `[core]\npager = ${tripwire}\neditor = ${tripwire}\nsshCommand = ${tripwire}\n[sequence]\neditor = ${tripwire}`,
			environment: {
				GIT_PAGER: tripwire,
				GIT_EDITOR: tripwire,
				GIT_SSH_COMMAND: tripwire,
				GIT_ASKPASS: tripwire,
				SSH_ASKPASS: tripwire,
				GIT_PROXY_COMMAND: tripwire,
			},
		},
		{
			name: 'aliases',
			config: ['add', 'ls-files', 'status', 'switch', 'commit-tree', 'fetch']
				.map((verb) => `[alias]\n${verb} = !${tripwire}`)
				.join('\n'),
		},
		{ name: 'a broken configuration', config: '[core\nbroken' },
		{ name: 'encodings', config: '[i18n]\ncommitEncoding = UTF-16\nlogOutputEncoding = latin1' },
		{
			name: 'fetches that prune and follow',
			config:
				'[fetch]\nprune = true\npruneTags = true\nrecurseSubmodules = true\nfsckObjects = true\n[remote "origin"]\nfetch = +refs/*:refs/*\n[submodule]\nrecurse = true\n[transfer]\nhideRefs = refs/heads\n[uploadpack]\nallowFilter = false',
		},
		{
			name: 'clones of others',
			config:
				'[clone]\ndefaultRemoteName = upstream\nrejectShallow = true\nfilterSubmodules = true\n[checkout]\nguess = true\ndefaultRemote = x\nworkers = 64',
		},
		{
			name: 'hidden files in status',
			config: '[status]\nshowUntrackedFiles = no\nshort = true\nbranch = true\nrelativePaths = true\nrenames = copies',
		},
		{
			name: 'reflogs and fsync',
			config:
				'[core]\nlogAllRefUpdates = false\nfsync = none\nfsyncMethod = writeout-only\nsharedRepository = all\ncompression = 0\nbigFileThreshold = 1',
		},
		{
			name: 'a seed with programs',
			seedConfig: [
				['core.fsmonitor', tripwire],
				['core.hooksPath', `${home}/hooks`],
				['filter.evil.clean', tripwire],
				['filter.evil.smudge', tripwire],
				['uploadpack.packObjectsHook', tripwire],
				['core.autocrlf', 'true'],
			],
			files: hookFiles('hooks'),
		},
	];
}
