import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
	canonicalJson,
	type EvaluationFile,
	type EvaluationFileInput,
	evaluationFileName,
	KapsoError,
	sha256,
} from '@kapso-evolve/contracts';
import { type HashedEntry, hashTree, readBounded } from '@kapso-evolve/durable-fs';
import { evaluationError } from './evaluation-problem.ts';
import { checkEvaluationInput, parseEvaluationFile } from './read-evaluation.ts';
import { replaceTree } from './scratch.ts';
import type { MountDigest, Suite, SuiteVisibility } from './suite.ts';
import { surveyFolder } from './survey-folder.ts';
import { contentDigest, treeStamp } from './tree-stamp.ts';

/** An evaluation file is short; a longer one is a mistake. */
const maxEvaluationFileBytes = 1024 * 1024;

export interface InspectSuiteOptions {
	/** The caller's folder. */
	readonly from: string;
	/** The evaluation when it comes from configuration; beside an evaluation file it is refused (`EVALUATION_TWICE`). */
	readonly evaluation?: EvaluationFileInput | null;
	readonly visibility: SuiteVisibility;
	/** A folder that is about to be written: it must not lie in the suite (`SUITE_CONTAINS_OUTPUT`). */
	readonly output?: string;
}

/**
 * Validates and fingerprints a caller's suite without writing anything (document 000: before any repository or
 * workspace exists). Usage errors: `SUITE_MISSING`, `SUITE_EMPTY`, `SUITE_LINK`, `SUITE_ENTRY_KIND`,
 * `SUITE_IS_REPOSITORY`, `SUITE_CONTAINS_OUTPUT`, `SUITE_PRIVATE_WITHOUT_SCORE`, `EVALUATION_TWICE`, `EVALUATION_FILE`.
 */
export async function inspectSuite(options: InspectSuiteOptions): Promise<Suite> {
	const source = await surveyFolder(options.from, 'SUITE', options.output);
	return describe(options, source, source, await hashTree(source));
}

/** The same, and a snapshot of the bytes in `to` (replaced): what was copied is what was hashed. */
export async function captureSuite(options: InspectSuiteOptions & { readonly to: string }): Promise<Suite> {
	const source = await surveyFolder(options.from, 'SUITE', options.to);
	return describe(options, source, options.to, await replaceTree({ from: source, to: options.to }));
}

async function describe(
	options: InspectSuiteOptions,
	source: string,
	root: string,
	tree: { readonly entries: readonly HashedEntry[]; readonly digest: string },
): Promise<Suite> {
	const evaluation = await readEvaluation(options, source, root, tree.entries);
	if (options.visibility === 'private' && !evaluation?.score) {
		throw new KapsoError({
			code: 'SUITE_PRIVATE_WITHOUT_SCORE',
			category: 'usage',
			message: `the private suite ${source} has no score command, and an agent that cannot see it cannot run it`,
			hint: `Add a score command to ${evaluationFileName}, or give the suite as a visible one. Nothing was created.`,
			data: { folder: source },
		});
	}
	const mounts = await digestMounts(evaluation, source);
	const more = {
		...(evaluation !== null && options.evaluation ? { evaluation } : {}),
		...(mounts.length > 0 ? { mounts: mounts.map(({ path, sha256: bytes }) => ({ path, sha256: bytes })) } : {}),
	};
	return {
		source,
		root,
		digest: Object.keys(more).length > 0 ? sha256(canonicalJson({ tree: tree.digest, ...more })) : tree.digest,
		entries: tree.entries,
		evaluation,
		evaluationDigest: evaluation === null ? null : sha256(canonicalJson(evaluation)),
		visibility: options.visibility,
		mounts,
	};
}

/** The bytes behind `digest: content`. A mount that is not there is a mistake in the evaluation. */
async function digestMounts(evaluation: EvaluationFile | null, source: string): Promise<MountDigest[]> {
	const digests: MountDigest[] = [];
	for (const [index, { path, digest }] of (evaluation?.mounts ?? []).entries()) {
		if ((await stat(path).catch(() => null)) === null) {
			const problem = { path: `mounts.${index}.path`, line: null, column: null, message: `${path} does not exist` };
			throw evaluationError(join(source, evaluationFileName), [problem]);
		}
		if (digest === 'none') continue;
		const stamp = await treeStamp(path);
		digests.push({ path, sha256: await contentDigest(path), stamp });
	}
	return digests;
}

async function readEvaluation(
	options: InspectSuiteOptions,
	source: string,
	root: string,
	entries: readonly HashedEntry[],
): Promise<EvaluationFile | null> {
	const paths = entries.map((entry) => entry.path);
	const file = join(source, evaluationFileName);
	const misnamed = paths.find((path) => path !== evaluationFileName && isLikeEvaluationFile(path));
	if (misnamed) {
		const message = `looks like an evaluation file, but only ${evaluationFileName} is read`;
		throw evaluationError(join(source, misnamed), [{ path: '', line: 1, column: 1, message }]);
	}
	const entry = entries.find((candidate) => candidate.path === evaluationFileName);
	if (!entry) return options.evaluation ? checkEvaluationInput(options.evaluation, 'evaluation', paths) : null;
	if (options.evaluation) {
		throw new KapsoError({
			code: 'EVALUATION_TWICE',
			category: 'usage',
			message: `the evaluation stands both in ${file} and in the configuration`,
			hint: 'Keep one of the two. Nothing was created.',
			data: { file },
		});
	}
	const bytes = await readBounded(join(root, evaluationFileName), { maxBytes: maxEvaluationFileBytes });
	if (sha256(bytes) !== entry.sha256) {
		throw evaluationError(file, [{ path: '', line: 1, column: 1, message: 'changed while it was read' }]);
	}
	return parseEvaluationFile(bytes, file, paths);
}

/** At the top of the suite folder, e.g. `kapso.evaluation.yml`, `kapso-evaluation.json`. */
export function isLikeEvaluationFile(path: string): boolean {
	return basename(path) === path && /^kapso[._-]?evaluation\.[a-z0-9]+$/i.test(path);
}
