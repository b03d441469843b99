import { KapsoError } from '@kapso-evolve/contracts';
import { findProgram } from '@kapso-evolve/process';

/**
 * Asked before every start, because inside a namespace a missing program looks like an agent that failed. The name is
 * then left as it is: a program may look at the name and the path it was started by (virtual environments, shims).
 */
export async function requireProgram(program: string, path: string): Promise<void> {
	if ((await findProgram(program, path)) !== null) return;
	throw new KapsoError({
		code: 'PROGRAM_NOT_FOUND',
		category: 'infrastructure',
		message: `The agent's program ${JSON.stringify(program)} was not found.`,
		hint: 'Nothing was started. Install it, or give its absolute path, then resume.',
		data: { program, path },
	});
}
