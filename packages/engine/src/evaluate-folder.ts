import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EvaluationFileInput, KapsoError, systemClock } from '@kapso-evolve/contracts';
import {
	captureData,
	captureSuite,
	chooseLevel,
	type EvaluationRecord,
	evaluate,
	folderTree,
	type Suite,
	verifyCandidate,
} from '@kapso-evolve/eval-integrity';
import { openSandbox } from '@kapso-evolve/process';
import { isEngineScored } from './campaign.ts';
import { isHiddenFromEvaluation } from './score-commit.ts';
import { absolutePath } from './settings.ts';
import { writeTree } from './write-tree.ts';

export interface EvaluateFolderOptions {
	/** The candidate: a folder as it is now. */
	readonly folder: string;
	readonly evalDir: string;
	/** True: whatever the folder has of the suite is ignored; else its copy must be the caller's. */
	readonly private?: boolean;
	readonly dataDir?: string;
	readonly evaluation?: EvaluationFileInput;
	readonly requireIsolation?: boolean;
	readonly environment?: Readonly<Record<string, string | undefined>>;
	readonly nodeProgram?: string;
	readonly workingFolder?: string;
	readonly signal?: AbortSignal;
}

/** Scores a folder exactly as a campaign would: how a suite is debugged. Reads the folder, writes nothing into it. */
export async function evaluateFolder(options: EvaluateFolderOptions): Promise<EvaluationRecord> {
	const environment = Object.fromEntries(
		Object.entries(options.environment ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
	);
	const path = environment.PATH ?? '/usr/local/bin:/usr/bin:/bin';
	const folder = absolutePath(options.folder, options.workingFolder);
	await requireFolder(folder);
	const sandbox = await openSandbox({ path });
	const scratch = await mkdtemp(join(tmpdir(), 'kapso-evaluate-'));
	try {
		const suite = await captureSuite({
			from: absolutePath(options.evalDir, options.workingFolder),
			to: join(scratch, 'suite'),
			evaluation: options.evaluation ?? null,
			visibility: options.private === true ? 'private' : 'visible',
		});
		const data =
			options.dataDir === undefined
				? null
				: await captureData({ from: absolutePath(options.dataDir, options.workingFolder), to: join(scratch, 'data') });
		const { level, isolation } = chooseLevel({ suite, sandbox, requireIsolation: options.requireIsolation ?? false });
		const tree = folderTree(folder);
		const started = systemClock.monotonicMs();
		// A folder without a copy of the suite is a candidate that was never in a campaign: there is nothing to compare.
		const hasCopy = (await tree.entries()).some((entry) => entry.path.startsWith('kapso_evaluation/'));
		const verdict =
			options.private === true || !hasCopy
				? ({ valid: true, stripped: [], notProven: [] } as const)
				: await verifyCandidate({ tree, suite, data, level });
		if (!verdict.valid || !isEngineScored(level)) {
			const refused = verdict.valid
				? { code: 'NO_COMMANDS', error: `${missingScore(suite)}, so nothing but an agent can run it` }
				: { code: verdict.code, error: verdict.error };
			return {
				outcome: 'invalid',
				...refused,
				score: null,
				metrics: {},
				caseScores: null,
				cases: null,
				feedback: '',
				level,
				isolation,
				candidateIsolated: false,
				stripped: [],
				notProven: [],
				scores: [],
				phases: [],
				suiteDigest: suite.digest,
				dataDigest: data?.digest ?? null,
				durationMs: systemClock.monotonicMs() - started,
			};
		}
		const candidateFolder = join(scratch, 'candidate');
		const workFolder = join(scratch, 'work');
		await mkdir(candidateFolder);
		await mkdir(workFolder);
		await writeTree({ tree, to: candidateFolder, exclude: isHiddenFromEvaluation });
		return await evaluate({
			suite,
			data,
			level,
			sandbox,
			candidateFolder,
			workFolder,
			path,
			nodeProgram: options.nodeProgram ?? process.execPath,
			environment,
			stripped: verdict.stripped,
			notProven: verdict.notProven,
			signal: options.signal,
		});
	} finally {
		await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
	}
}

async function requireFolder(folder: string): Promise<void> {
	const found = await stat(folder).catch(() => null);
	if (found?.isDirectory()) return;
	throw new KapsoError({
		code: 'CANDIDATE_MISSING',
		category: 'usage',
		message: `the folder to score, ${folder}, ${found === null ? 'does not exist' : 'is not a folder'}`,
		hint: 'nothing was started; give the path of an existing folder',
		data: { folder },
	});
}

function missingScore({ source, evaluation }: Suite): string {
	return evaluation === null
		? `there is no kapso.evaluation.yaml in ${source}`
		: `kapso.evaluation.yaml in ${source} has no score command`;
}
