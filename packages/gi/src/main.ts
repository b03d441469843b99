import { parseArgs } from 'node:util';
import { agentVariables, describeThrown, KapsoError } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { improve, moveOnce } from './improve.ts';
import { blindSummaryOf, shown, summaryOf, writeReport } from './report.ts';
import { tryWorkingTree } from './try-command.ts';
import { openTunableFolder } from './tunable-folder.ts';

/** Exit codes: 0 searched (a gain or not), 2 nothing to tune or wrong arguments, 3 the try command does not answer. */
interface Ending {
	readonly exitCode: 0 | 2 | 3;
	readonly summary: string;
	readonly score?: number | null;
	readonly evaluationOutput?: string;
	readonly difficulties?: readonly string[];
}

const argumentsSchema = z.object({ seed: z.coerce.number().int(), trials: z.coerce.number().int().min(1) });
const commandSchema = z.array(z.string().min(1)).min(1);
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
// The prompt is read and dropped: this agent takes no orders, and a closed pipe would trouble the writer.
process.stdin.on('error', () => {}).resume();
process.stdin.unref?.();

const { cwd, env } = process;
const ending = await work().catch(
	(thrown: unknown): Ending => ({
		exitCode: KapsoError.isInstance(thrown) && thrown.category === 'usage' ? 2 : 3,
		summary: 'The search failed.',
		difficulties: KapsoError.isInstance(thrown) ? [thrown.message, thrown.hint] : [describeThrown(thrown)],
	}),
);
await report(ending);
process.exit(ending.exitCode);

async function work(): Promise<Ending> {
	const { seed, trials } = readArguments();
	const folder = await openTunableFolder(cwd());
	const { tunables, faults, notes, blocks } = folder;
	if (faults.length > 0) return { exitCode: 2, summary: 'Nothing was changed.', difficulties: [...faults, ...notes] };
	if (tunables.length === 0) {
		const where =
			blocks === 0
				? 'There is no EVOLVE-BLOCK-START … EVOLVE-BLOCK-END block and no tune: comment'
				: `The marked blocks (${blocks}) hold no number that can be tuned, and there is no tune: comment`;
		return { exitCode: 2, summary: 'Nothing was changed.', difficulties: [`${where} in ${cwd()}.`, ...notes] };
	}
	const command = env[agentVariables.try];
	if (!command) {
		return { exitCode: 0, summary: blindSummaryOf(await moveOnce(folder, seed)), difficulties: notes };
	}
	const attempt = {
		command: readCommand(command),
		folder: cwd(),
		environment: env as Readonly<Record<string, string>>,
		signal: stop.signal,
	};
	const improvement = await improve({
		folder,
		seed,
		trials,
		attempt: () => tryWorkingTree(attempt),
		signal: stop.signal,
		onTrial: (trial, score, best) => process.stderr.write(`trial ${trial}: ${shown(score)}, best ${shown(best)}\n`),
	});
	const { trouble, after, feedback } = improvement;
	return {
		exitCode: trouble !== null && after === null ? 3 : 0,
		summary: summaryOf(improvement, tunables.length),
		score: after,
		evaluationOutput: feedback,
		difficulties: [...(trouble === null ? [] : [trouble]), ...notes],
	};
}

function readArguments(): z.output<typeof argumentsSchema> {
	try {
		const { values } = parseArgs({ options: { seed: { type: 'string' }, trials: { type: 'string' } } });
		return argumentsSchema.parse(values);
	} catch (cause) {
		throw usage('gi needs --seed N, a whole number, and --trials N, a whole number above 0', cause);
	}
}

function readCommand(text: string): readonly string[] {
	try {
		return commandSchema.parse(JSON.parse(text));
	} catch (cause) {
		throw usage(`${agentVariables.try} must be a JSON array of strings, the command that scores this folder`, cause);
	}
}

function usage(message: string, cause: unknown): KapsoError {
	const hint = 'Nothing was changed. Start it in the folder to be improved: node main.js --seed 1 --trials 60';
	return new KapsoError({ code: 'GI_USAGE', category: 'usage', message, hint, cause });
}

async function report({ summary, score, evaluationOutput, difficulties = [] }: Ending): Promise<void> {
	process.stdout.write(`${summary}\n`);
	for (const difficulty of difficulties) process.stderr.write(`${difficulty}\n`);
	const path = env[agentVariables.reportPath];
	const nonce = env[agentVariables.nonce];
	if (!path || !nonce) return;
	await writeReport(path, {
		schema_version: 1,
		nonce,
		summary,
		score: score ?? null,
		evaluation_output: evaluationOutput ?? null,
		technical_difficulties: difficulties.length === 0 ? null : difficulties.join('\n'),
		cost_usd: 0,
	});
}
