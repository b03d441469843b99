import { KapsoError } from '@kapso-evolve/contracts';
import { findProgram } from '@kapso-evolve/process';
import { createGitRunner, type GitRunner } from './runner.ts';

const oldest = [2, 38] as const;

/** Finds git on the given PATH. Throws `GIT_MISSING` or `GIT_TOO_OLD` (infrastructure). */
export async function findGit(options: {
	readonly folder: string;
	readonly globalConfig: string;
	readonly userEnvironment: Readonly<Record<string, string>>;
}): Promise<{ git: GitRunner; version: string }> {
	const path = options.userEnvironment.PATH ?? '/usr/bin:/bin';
	const program = await findProgram('git', path);
	if (program === null) {
		throw new KapsoError({
			code: 'GIT_MISSING',
			category: 'infrastructure',
			message: `there is no git on PATH (${path})`,
			hint: 'Install git 2.38 or newer.',
		});
	}
	const git = createGitRunner({ ...options, program });
	const version = (await git.line(['version'])).replace(/^git version /, '');
	const [major = 0, minor = 0] = version.split('.').map(Number);
	if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
		throw new KapsoError({
			code: 'GIT_TOO_OLD',
			category: 'infrastructure',
			message: `git ${version} (${program}) is too old: ${oldest.join('.')} or newer is needed`,
			hint: 'Install a newer git, or put one first on PATH.',
			data: { version, program },
		});
	}
	return { git, version };
}
