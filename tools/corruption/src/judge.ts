import { describeThrown, KapsoError, type SearchNode } from '@kapso-evolve/contracts';
import { type EvolveOptions, evolve, readCampaign, resumeCampaign, verifyCampaign } from '@kapso-evolve/engine';
import { lineAgent } from './campaign.ts';

export interface Verdict {
	readonly crashes: readonly string[];
	readonly freshStarts: readonly string[];
	readonly unexplained: readonly string[];
}

type Answer = { readonly value: unknown } | { readonly error: KapsoError } | { readonly crash: string };

const longestMs = 30_000;

/** Looks at, verifies, starts over and resumes a damaged campaign; says what was wrong with the answers. */
export async function judge(options: EvolveOptions, before: readonly SearchNode[]): Promise<Verdict> {
	const { outputPath, environment = {} } = options;
	const looked = await answerOf(() => readCampaign(outputPath));
	const verified = await answerOf(() => verifyCampaign(outputPath, { environment }));
	const started = await answerOf(() => evolve({ ...options, maxIterations: 0 }));
	const resumed = await answerOf(() => resumeCampaign(outputPath, { environment, agent: lineAgent() }));
	const after = await answerOf(() => readCampaign(outputPath));
	const verifiedAfter = await answerOf(() => verifyCampaign(outputPath, { environment }));

	const answers = { looked, verified, started, resumed, after, verifiedAfter };
	const crashes: string[] = [];
	const unexplained: string[] = [];
	for (const [what, answer] of Object.entries(answers)) {
		if ('crash' in answer) crashes.push(`${what}: ${answer.crash}`);
		if ('error' in answer && (answer.error.hint.length < 20 || answer.error.message.length < 10))
			unexplained.push(`${what}: ${answer.error.code} without a next step`);
	}
	const freshStarts: string[] = [];
	if ('value' in started) freshStarts.push('a new campaign was started over it');
	if ('value' in resumed && !('value' in after && hasAll(after.value, before)))
		freshStarts.push('resumed without what was recorded');
	const wasNamed = [looked, verified, resumed].some((answer) => 'error' in answer) || isRefuted(verified);
	if (!wasNamed && !isProven(verifiedAfter)) unexplained.push('damage that nobody named');
	if ('value' in resumed && !isProven(verifiedAfter) && !isRefuted(verifiedAfter) && !('error' in verifiedAfter))
		unexplained.push('resumed into something that cannot be verified');
	return { crashes, freshStarts, unexplained };
}

async function answerOf(ask: () => Promise<unknown>): Promise<Answer> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<Answer>((resolve) => {
		timer = setTimeout(() => resolve({ crash: `no answer in ${longestMs} ms` }), longestMs);
	});
	const answer = ask().then(
		(value): Answer => ({ value }),
		(error: unknown): Answer => (KapsoError.isInstance(error) ? { error } : { crash: describeThrown(error) }),
	);
	try {
		return await Promise.race([answer, late]);
	} finally {
		clearTimeout(timer);
	}
}

function hasAll(view: unknown, before: readonly SearchNode[]): boolean {
	const { nodes } = view as { readonly nodes: readonly SearchNode[] };
	return before.every((node, index) => JSON.stringify(nodes[index]) === JSON.stringify(node));
}

function isProven(answer: Answer): boolean {
	return 'value' in answer && (answer.value as { ok: boolean }).ok;
}

function isRefuted(answer: Answer): boolean {
	return 'value' in answer && !(answer.value as { ok: boolean }).ok;
}
