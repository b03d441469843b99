import type { Clock } from '@kapso-evolve/contracts';
import type { GitRunner } from './git/runner.ts';
import type { Mutex } from './mutex.ts';
import type { GitObjectReader } from './object-reader.ts';
import type { Scratch } from './scratch.ts';

/** What every operation of a workspace works on. */
export interface Repository {
	readonly root: string;
	readonly gitDir: string;
	readonly stateFolder: string;
	readonly objectFormat: 'sha1' | 'sha256';
	readonly git: GitRunner;
	readonly scratch: Scratch;
	readonly objects: GitObjectReader;
	readonly clock: Clock;
	/** Held while the root work tree, the registry of worktrees or refs change: Git races with itself there. */
	readonly mutex: Mutex;
}

/** Seconds since 1970, for the dates of engine commits. */
export function commitDate(repository: Repository): number {
	return Math.floor(repository.clock.now().getTime() / 1000);
}

/** The id that Git gives to "no such ref". */
export function zeroId(repository: Repository): string {
	return '0'.repeat(repository.objectFormat === 'sha1' ? 40 : 64);
}
