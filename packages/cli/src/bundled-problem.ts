import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KapsoError } from '@kapso-evolve/contracts';

/** The problem of `demo`: where candidates start, what guides them, and what only watches. */
export interface BundledProblem {
	readonly repository: string;
	readonly evaluation: string;
	readonly hidden: string;
}

/** In the published package its own copy (made when packing), in the repository the example itself. */
const places = ['../assets/tsp-heuristic', '../../../examples/tsp-heuristic'];

export async function findBundledProblem(): Promise<BundledProblem> {
	const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
	for (const folder of folders) {
		const exists = await access(join(folder, 'evaluation')).then(
			() => true,
			() => false,
		);
		if (exists)
			return {
				repository: join(folder, 'repository'),
				evaluation: join(folder, 'evaluation'),
				hidden: join(folder, 'hidden'),
			};
	}
	throw new KapsoError({
		code: 'PROBLEM_MISSING',
		category: 'infrastructure',
		message: `the bundled problem is not in this installation: neither ${folders.join(' nor ')}`,
		hint: 'nothing was created; install kapso-evolve again, or run evolve on a repository of your own',
		data: { folders },
	});
}
