import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvaluationFile } from '@kapso-evolve/contracts';
import { type EvaluationRecord, inspectSuite } from '@kapso-evolve/eval-integrity';
import { isBetter } from '@kapso-evolve/search';
import { type EvaluateFolderOptions, evaluateFolder } from '../evaluate-folder.ts';
import { absolutePath } from '../settings.ts';
import { badOutputs, neverAnAnswer } from './bad-outputs.ts';
import { type Finding, gradeOf, type SuiteReport, type SuiteTrial } from './suite-report.ts';
import {
	collectingVariant,
	commandVariant,
	type OutputFile,
	replayingVariant,
	type SuiteVariant,
} from './suite-variant.ts';

export interface ExamineSuiteOptions extends EvaluateFolderOptions {
	/** How often the unchanged candidate is scored twice. Default 1. */
	readonly pairs?: number;
	readonly onTrial?: (trial: SuiteTrial) => void;
}

/** Programs in the candidate's place, none of which may get a score. */
const badPrograms: readonly { readonly name: string; readonly command: readonly string[] }[] = [
	{ name: 'silent', command: ['sh', '-c', 'true'] },
	{ name: 'crashing', command: ['sh', '-c', 'echo broken >&2; exit 1'] },
	{ name: 'slow', command: ['sh', '-c', 'sleep 600'] },
	{ name: 'chatty', command: ['sh', '-c', 'head -c 50000000 /dev/zero'] },
	{ name: 'forking', command: ['sh', '-c', 'i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i+1)); done; wait'] },
	{
		name: 'forger',
		command: [
			'sh',
			'-c',
			'r=\'{"schema_version":1,"valid":true,"score":1e9}\'; echo "$r"; for n in result.json score.json; do echo "$r" > "$KAPSO_OUTPUTS_DIR/$n"; done',
		],
	},
];

/**
 * Tries a suite before money is spent on it: the unchanged candidate twice, an empty one, and outputs and programs that
 * no sound suite gives a good score. `folder` is the repository as it is.
 */
export async function examineSuite(options: ExamineSuiteOptions): Promise<SuiteReport> {
	const evalDir = absolutePath(options.evalDir, options.workingFolder);
	const inspected = await inspectSuite({
		from: evalDir,
		evaluation: options.evaluation ?? null,
		visibility: 'visible',
	});
	const scratch = await mkdtemp(join(tmpdir(), 'kapso-doctor-'));
	const trials: SuiteTrial[] = [];
	const findings: Finding[] = [];
	try {
		const pairs = Math.max(1, options.pairs ?? 1);
		const first = await evaluateFolder(options);
		const scores = first.score === null ? [] : [first.score];
		for (let run = 1; run < 2 * pairs && first.score !== null; run++) {
			const again = await evaluateFolder(options);
			if (again.score !== null) scores.push(again.score);
		}
		const noiseFloor = scores.length < 2 ? null : Math.max(...pairDifferences(scores));
		const examined = { options, evaluation: inspected.evaluation, suite: evalDir, scratch, baseline: first };
		const note = (trial: SuiteTrial) => {
			trials.push(trial);
			options.onTrial?.(trial);
		};
		note(trialOf('baseline', first, 'baseline', first.score !== null));
		findings.push(...baselineFindings(first, noiseFloor, inspected.evaluation));
		if (first.score !== null) {
			for await (const trial of badCandidates(examined)) note(trial);
			findings.push(...trials.filter((trial) => !trial.passed).map((trial) => findingOf(trial, first.score!)));
			findings.push(...crashFindings(trials));
		}
		const grade = gradeOf(first.level, findings);
		const { level, isolation, score: baselineScore } = first;
		const falsePromotionRate = 1 / (pairs + 1);
		return { grade, level, isolation, baselineScore, noiseFloor, pairs, falsePromotionRate, trials, findings };
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

interface Examined {
	readonly options: ExamineSuiteOptions;
	readonly evaluation: EvaluationFile | null;
	readonly suite: string;
	readonly scratch: string;
	readonly baseline: EvaluationRecord;
}

async function* badCandidates(examined: Examined): AsyncGenerator<SuiteTrial> {
	const { options, evaluation, suite, scratch, baseline } = examined;
	const empty = join(scratch, 'empty');
	await mkdir(empty);
	const nothing = await evaluateFolder({ ...options, folder: empty });
	yield judge('null-candidate', nothing, 'no score as good as the baseline', examined);
	if (evaluation?.run === undefined || baseline.level === 'suite-sealed') return;
	let count = 0;
	const place = () => ({ suite, evaluation, to: join(scratch, `variant-${++count}`) });
	const score = (variant: SuiteVariant) => evaluateFolder({ ...options, ...variant });
	for (const { name, command } of badPrograms) {
		yield judge(
			name,
			await score(await commandVariant(place(), [...command])),
			'no score as good as the baseline',
			examined,
		);
	}
	const collected = await score(await collectingVariant(suite, evaluation, join(scratch, 'collect')));
	const outputs = collected.outcome === 'scored' ? (JSON.parse(collected.feedback) as OutputFile[]) : [];
	for (const bad of badOutputs) {
		const changed = outputs.map(({ path, bytes }) => ({ path, bytes: changeText(bytes, bad.change) }));
		if (JSON.stringify(changed) === JSON.stringify(outputs)) continue;
		const record = await score(await replayingVariant(place(), changed));
		yield judge(
			bad.name,
			record,
			neverAnAnswer.has(bad.name) ? 'no score' : 'no score as good as the baseline',
			examined,
		);
	}
}

function changeText(base64: string, change: (text: string) => string): string {
	return Buffer.from(change(Buffer.from(base64, 'base64').toString('utf8'))).toString('base64');
}

function judge(
	name: string,
	record: EvaluationRecord,
	expected: SuiteTrial['expected'],
	examined: Examined,
): SuiteTrial {
	const objective = examined.evaluation?.objective ?? 'maximize';
	const asGood = record.score !== null && !isBetter(examined.baseline.score!, record.score, objective);
	return trialOf(name, record, expected, expected === 'no score' ? record.score === null : !asGood);
}

function trialOf(
	name: string,
	record: EvaluationRecord,
	expected: SuiteTrial['expected'],
	passed: boolean,
): SuiteTrial {
	return { name, outcome: record.outcome, code: record.code, score: record.score, expected, passed };
}

function pairDifferences(scores: readonly number[]): number[] {
	return scores.flatMap((score, index) => (index % 2 === 1 ? [Math.abs(score - scores[index - 1]!)] : []));
}

function baselineFindings(
	first: EvaluationRecord,
	noiseFloor: number | null,
	evaluation: EvaluationFile | null,
): Finding[] {
	if (first.score === null) {
		const advice = 'run kapso-evolve evaluate on the repository and correct what its phases say';
		return [
			{
				code: 'BASELINE_NOT_SCORED',
				severity: 'blocking',
				what: `the unchanged repository ended in ${first.outcome}: ${first.error ?? first.code}`,
				advice,
			},
		];
	}
	const findings: Finding[] = [];
	if (noiseFloor !== null && noiseFloor > (evaluation?.noise ?? 0)) {
		const advice = `make the suite deterministic (seeds, counts instead of time), or declare noise: ${noiseFloor} and raise repeats`;
		findings.push({
			code: 'NOISE_UNDECLARED',
			severity: 'warning',
			what: `the unchanged candidate scored twice with a difference of ${noiseFloor}`,
			advice,
		});
	}
	if (first.level !== 'sealed') {
		const advice = 'split it: a run phase that makes outputs, and a score phase that judges them without the candidate';
		findings.push({
			code: 'NOT_SEALED',
			severity: 'warning',
			what: `this suite reaches the level ${first.level}`,
			advice,
		});
	}
	if (evaluation !== null && evaluation.cases === undefined) {
		const advice = 'declare cases, and answer cases in the result: a shrinking denominator is then refused';
		findings.push({ code: 'CASES_UNDECLARED', severity: 'note', what: 'the number of cases is not declared', advice });
	}
	return findings;
}

function findingOf(trial: SuiteTrial, baseline: number): Finding {
	const wins = trial.expected !== 'no score';
	return {
		code: `${wins ? 'WON_BY' : 'SCORED'}_${trial.name.toUpperCase().replaceAll('-', '_')}`,
		severity: 'blocking',
		what: wins
			? `the candidate "${trial.name}" scored ${trial.score}, no worse than the baseline's ${baseline}`
			: `outputs that are no answer ("${trial.name}") got the score ${trial.score}`,
		advice:
			'check every output for its type, range and completeness before it counts, and answer {"valid": false, "reason": …} otherwise',
	};
}

function crashFindings(trials: readonly SuiteTrial[]): Finding[] {
	const crashed = trials.filter((trial) => trial.code === 'SCORER_CRASH').map((trial) => trial.name);
	if (crashed.length === 0) return [];
	return [
		{
			code: 'SCORER_CRASHES',
			severity: 'warning',
			what: `the scorer crashes on: ${crashed.join(', ')}`,
			advice:
				'answer {"valid": false, "reason": …} instead: three crashes in a row stop a campaign as the suite’s own fault',
		},
	];
}
