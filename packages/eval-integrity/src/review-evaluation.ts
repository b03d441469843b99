import { basename } from 'node:path';
import type { EvaluationFile } from '@kapso-evolve/contracts';
import { compileGlobs } from './glob.ts';

interface Finding {
	readonly path: readonly (string | number)[];
	readonly message: string;
}

/** Starters whose scripts somebody else can redefine: a command names the program itself (CONTRACTS 1). */
const packageManagers = new Set(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'bunx', 'corepack']);
/** Places of the sandbox that belong to the engine or the system. */
const takenPlaces = ['/kapso', '/proc', '/dev', '/sys', '/tmp', '/etc', '/usr', '/bin', '/sbin', '/lib', '/lib64'];
const engineVariables = /^(?:PATH|HOME|TMPDIR|LANG|LD_.*|KAPSO_.*)$/;

/** What a schema cannot see: commands, patterns, places and names that would surprise their author at run time. */
export function reviewEvaluation(evaluation: EvaluationFile, suitePaths: readonly string[]): Finding[] {
	const found: Finding[] = [];
	for (const phase of ['build', 'run', 'score'] as const) {
		const command = evaluation[phase]?.command;
		if (!command) continue;
		const path = [phase, 'command'];
		if (packageManagers.has(basename(command[0]!))) {
			found.push({
				path: [...path, 0],
				message: 'starts a package manager, whose scripts a candidate may redefine; name the program itself',
			});
		}
		if (command.length === 1 && /\s/.test(command[0]!)) {
			found.push({
				path: [...path, 0],
				message: 'looks like a shell line; write a list of the program and its arguments',
			});
		}
		if (command.some((argument) => argument.includes('\0'))) {
			found.push({ path, message: 'holds a NUL character' });
		}
	}
	found.push(...reviewGlobs(evaluation), ...reviewRunFiles(evaluation, suitePaths), ...reviewMounts(evaluation));
	for (const [index, name] of evaluation.env.entries()) {
		if (engineVariables.test(name)) found.push({ path: ['env', index], message: `${name} is set by the engine` });
	}
	for (const [index, name] of evaluation.metrics.entries()) {
		if (name === 'score')
			found.push({ path: ['metrics', index], message: 'score is the score itself, not a metric beside it' });
		if (evaluation.metrics.indexOf(name) !== index)
			found.push({ path: ['metrics', index], message: `${name} stands twice` });
	}
	return found;
}

function reviewGlobs(evaluation: EvaluationFile): Finding[] {
	const lists: readonly (readonly [readonly string[], readonly string[]])[] = [
		[['run', 'files'], evaluation.run?.files ?? []],
		[['run', 'data'], evaluation.run?.data ?? []],
		[['artifacts'], evaluation.artifacts],
		[['protected_paths'], evaluation.protected_paths],
	];
	return lists.flatMap(([path, patterns]) =>
		patterns.flatMap((pattern, index) => {
			const message = faultOfGlob(pattern);
			return message === null ? [] : [{ path: [...path, index], message }];
		}),
	);
}

function faultOfGlob(pattern: string): string | null {
	if (pattern.startsWith('/')) return 'must be relative';
	if (pattern.split('/').includes('..')) return 'must not contain ..';
	try {
		compileGlobs([pattern]);
		return null;
	} catch {
		return 'is not a valid pattern';
	}
}

/** A driver that the run phase names but may not see would fail for every candidate. */
function reviewRunFiles(evaluation: EvaluationFile, suitePaths: readonly string[]): Finding[] {
	const run = evaluation.run;
	if (!run) return [];
	const shown = compileGlobs(run.files);
	return run.command.flatMap((argument, index) =>
		suitePaths.includes(argument.replace(/^\.\//, '')) && !shown(argument.replace(/^\.\//, ''))
			? [
					{
						path: ['run', 'command', index],
						message: `${argument} is a suite file that run.files does not show; add it there`,
					},
				]
			: [],
	);
}

function reviewMounts(evaluation: EvaluationFile): Finding[] {
	const isBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
	return evaluation.mounts.flatMap(({ at, path: source }, index) => {
		const path = ['mounts', index, 'at'];
		if (at === '/' || /\/(?:\.{1,2})?(?:\/|$)/.test(at) || /\/\.\.?(?:\/|$)/.test(source)) {
			return [{ path, message: 'must be a plain absolute path, without a trailing slash, . or ..' }];
		}
		const taken = takenPlaces.find((place) => isBelow(at, place));
		if (taken) return [{ path, message: `${taken} belongs to the sandbox` }];
		const other = evaluation.mounts.findIndex(
			(mount, earlier) => earlier < index && (isBelow(at, mount.at) || isBelow(mount.at, at)),
		);
		return other < 0 ? [] : [{ path, message: `overlaps with mounts.${other}` }];
	});
}
