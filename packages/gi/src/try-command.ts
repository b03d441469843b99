import { type Objective, objectiveSchema } from '@kapso-evolve/contracts';
import { run } from '@kapso-evolve/process';
import { z } from 'zod';

/** What `KAPSO_TRY` said about the working tree. */
export type TryAnswer =
	| {
			readonly status: 'answered';
			/** Null when the tree got no score: invalid, crashed, timed out. */
			readonly score: number | null;
			readonly objective: Objective;
			readonly outcome: string;
			readonly feedback: string;
			/** Trials left, where the command tells. */
			readonly remaining: number | null;
	  }
	/** No more trials: the budget is used up, or the search was aborted. */
	| { readonly status: 'ended' }
	| { readonly status: 'no-answer'; readonly reason: string };

const answerSchema = z.object({
	outcome: z.string(),
	score: z.number().nullable(),
	objective: objectiveSchema,
	feedback: z.string().nullish(),
	remaining: z.number().nullish(),
});

/** Short, so that an agent told to stop has time left for its own last writes. */
const graceMs = 500;

/** Exit code of the command once the engine's trial budget is used up. */
const usedUp = 4;

/** Asks the command in `folder`. What it does wrong is an answer too (`no-answer`). */
export async function tryWorkingTree(options: {
	readonly command: readonly string[];
	readonly folder: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal;
}): Promise<TryAnswer> {
	const { command: argv, folder: cwd, environment: env, signal } = options;
	const result = await run({ argv, cwd, env, graceMs, ...(signal && { signal }) });
	if (result.exitCode === usedUp || signal?.aborted) return { status: 'ended' };
	const line = result.stdout.trim().split('\n').at(-1) ?? '';
	const answer = answerSchema.safeParse(parseJson(line));
	if (result.exitCode === 0 && answer.success) {
		const { feedback, remaining, ...rest } = answer.data;
		return { status: 'answered', ...rest, feedback: feedback ?? '', remaining: remaining ?? null };
	}
	const how = result.exitCode === null ? `was ended by ${result.signalName}` : `ended with ${result.exitCode}`;
	return { status: 'no-answer', reason: `the try command ${how}: ${(result.stderr || line).trim().slice(-500)}` };
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		// The command wrote something else than JSON, which the schema then refuses.
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
