/** Settings of every engine command: no code of the repository's or the user's runs, no bytes are converted. */
const settings = [
	'core.hooksPath=/dev/null',
	'core.fsmonitor=false',
	'core.untrackedCache=false',
	'core.splitIndex=false',
	'core.commitGraph=false',
	'core.pager=cat',
	'core.attributesFile=/dev/null',
	'core.excludesFile=/dev/null',
	'core.autocrlf=false',
	'core.eol=lf',
	'core.safecrlf=false',
	'core.fileMode=true',
	'core.symlinks=true',
	'core.ignoreCase=false',
	'core.precomposeUnicode=false',
	'core.protectHFS=true',
	'core.protectNTFS=true',
	'core.trustctime=true',
	'core.checkStat=default',
	'core.quotePath=false',
	'core.sparseCheckout=false',
	'core.logAllRefUpdates=true',
	'checkout.workers=4',
	'checkout.thresholdForParallelism=100',
	'commit.gpgSign=false',
	'diff.external=',
	'fetch.unpackLimit=100',
	'fetch.writeCommitGraph=false',
	'gc.auto=0',
	'init.templateDir=',
	'maintenance.auto=false',
	'protocol.version=2',
	'submodule.recurse=false',
	'advice.detachedHead=false',
];

export const engineIdentity = { name: 'kapso-evolve', email: 'engine@kapso-evolve.invalid' };

/** `-c` arguments. Durable calls reach the disk before git reports success; stock git syncs nothing. */
export function hardenedArguments(o: { readonly durable: boolean; readonly fsck: boolean }): string[] {
	const fsync = o.durable ? 'core.fsync=committed,reference' : 'core.fsync=none';
	return [...settings, `fetch.fsckObjects=${o.fsck}`, fsync].flatMap((setting) => ['-c', setting]);
}

/** The whole environment of an engine command. `globalConfig` is a file of ours: it may only name safe directories. */
export function hardenedEnvironment(path: string, globalConfig: string): Record<string, string> {
	return {
		PATH: path,
		LC_ALL: 'C',
		HOME: '/nonexistent',
		XDG_CONFIG_HOME: '/nonexistent',
		GIT_CONFIG_NOSYSTEM: '1',
		GIT_CONFIG_GLOBAL: globalConfig,
		GIT_ATTR_NOSYSTEM: '1',
		GIT_TERMINAL_PROMPT: '0',
		GIT_OPTIONAL_LOCKS: '0',
		GIT_NO_REPLACE_OBJECTS: '1',
		GIT_NO_LAZY_FETCH: '1',
		GIT_ALLOW_PROTOCOL: 'file',
		GIT_AUTHOR_NAME: engineIdentity.name,
		GIT_AUTHOR_EMAIL: engineIdentity.email,
		GIT_COMMITTER_NAME: engineIdentity.name,
		GIT_COMMITTER_EMAIL: engineIdentity.email,
	};
}

/** Variables that point git at another repository, index, object store or configuration than the one we name. */
const repositoryVariables = new Set([
	'GIT_ALTERNATE_OBJECT_DIRECTORIES',
	'GIT_COMMON_DIR',
	'GIT_CONFIG',
	'GIT_CONFIG_COUNT',
	'GIT_CONFIG_PARAMETERS',
	'GIT_DIR',
	'GIT_EXTERNAL_DIFF',
	'GIT_GRAFT_FILE',
	'GIT_IMPLICIT_WORK_TREE',
	'GIT_INDEX_FILE',
	'GIT_INTERNAL_SUPER_PREFIX',
	'GIT_NAMESPACE',
	'GIT_NO_REPLACE_OBJECTS',
	'GIT_OBJECT_DIRECTORY',
	'GIT_PREFIX',
	'GIT_QUARANTINE_PATH',
	'GIT_REPLACE_REF_BASE',
	'GIT_SHALLOW_FILE',
	'GIT_TEMPLATE_DIR',
	'GIT_WORK_TREE',
]);

/** The user's own environment for reading a seed: credentials, proxies and ssh stay; nothing redirects the repository. */
export function userTransportEnvironment(user: Readonly<Record<string, string>>): Record<string, string> {
	const kept = Object.entries(user).filter(([name]) => !repositoryVariables.has(name) && !name.startsWith('GIT_TRACE'));
	return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
}

/** `-c` arguments beside the user's own settings: no hook, no monitor, no template runs when a seed is read. */
export const userTransportArguments: readonly string[] = [
	'core.hooksPath=/dev/null',
	'core.fsmonitor=false',
	'core.untrackedCache=false',
	'init.templateDir=',
	'submodule.recurse=false',
	'gc.auto=0',
	'maintenance.auto=false',
	'core.fsync=committed,reference',
].flatMap((setting) => ['-c', setting]);
