import { runBinary } from './binary.ts';
import type { NumberProblem } from './number-problem.ts';
import { runHere } from './run-here.ts';

/** Campaigns run through the built program; what only reads is asked in this process, which takes the same way. */
const readers = ['status', 'log', 'show', 'verify'];
export const run = (problem: NumberProblem, ...args: string[]) =>
	(readers.includes(args[0]!) ? runHere : runBinary)(args, { folder: problem.folder });

/** A command under `--json`: its exit code and its one document. */
export async function document(problem: NumberProblem, ...args: string[]) {
	const { code, stdout, stderr } = await run(problem, ...args, '--json');
	try {
		return { code, stderr, value: JSON.parse(stdout) };
	} catch {
		throw new Error(`no document from ${args.join(' ')} (exit ${code}):\n${stdout}\n${stderr}`);
	}
}
