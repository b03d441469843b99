import {
	type EvaluationFile,
	type EvaluationResult,
	evaluationResultSchema,
	KapsoError,
	maxResultBytes,
} from '@kapso-evolve/contracts';
import { readBounded } from '@kapso-evolve/durable-fs';
import { type Defences, everyDefence } from './defences.ts';
import type { Ending } from './evaluation-record.ts';

export type ScoredResult = Extract<EvaluationResult, { valid: true }>;

/**
 * Reads what the scorer left, once nothing of it lives any more: a regular file with one link, no link followed, at
 * most 4 MiB, strict UTF-8, the schema, finite numbers, declared metrics, the expected number of cases. Anything else
 * is `invalid` and says why.
 */
export async function readResult(
	path: string,
	evaluation: EvaluationFile,
	holds: Defences = everyDefence,
): Promise<ScoredResult | Ending> {
	let bytes: Buffer;
	try {
		bytes = await readBounded(path, { maxBytes: maxResultBytes, singleLink: true });
	} catch (thrown) {
		if (!KapsoError.isInstance(thrown)) throw thrown;
		if (thrown.code === 'FILE_MISSING') return invalid('RESULT_MISSING', 'the scorer ended without a result file');
		return invalid('RESULT_SHAPE', `the result file cannot be read: ${thrown.code}`);
	}
	const parsed = parseJson(bytes);
	if ('code' in parsed) return parsed;
	if (hasNonFinite(parsed.value)) return invalid('RESULT_NOT_FINITE', 'the result holds a number that is not finite');
	const checked = evaluationResultSchema.safeParse(parsed.value);
	if (!checked.success) {
		const issues = checked.error.issues.map((issue) => `${issue.path.join('.') || 'the result'}: ${issue.message}`);
		return invalid('RESULT_SHAPE', `the result breaks its contract: ${issues.join('; ').slice(0, 2000)}`);
	}
	const result = checked.data;
	if (!result.valid) return invalid('SUITE_SAID_INVALID', result.reason);
	return judgeNumbers(result, holds('case-count') ? evaluation : { ...evaluation, cases: undefined });
}

function judgeNumbers(result: ScoredResult, evaluation: EvaluationFile): ScoredResult | Ending {
	const undeclared = Object.keys(result.metrics).filter((name) => !evaluation.metrics.includes(name));
	if (undeclared.length > 0) {
		return invalid(
			'RESULT_METRIC',
			`metrics that the evaluation does not declare: ${undeclared.join(', ').slice(0, 500)}`,
		);
	}
	const counted = result.case_scores?.length;
	const said = result.cases ?? counted;
	if (counted !== undefined && counted !== said) {
		return invalid('RESULT_CASES', `the result says ${said} cases and has ${counted} case scores`);
	}
	if (evaluation.cases !== undefined && said !== evaluation.cases) {
		return invalid('RESULT_CASES', `${evaluation.cases} cases are expected, the result says ${said ?? 'nothing'}`);
	}
	return result;
}

function parseJson(bytes: Uint8Array): { readonly value: unknown } | Ending {
	let text: string;
	try {
		text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return invalid('RESULT_SHAPE', 'the result file is not UTF-8');
	}
	try {
		return { value: JSON.parse(text) };
	} catch (thrown) {
		if (/[:[,]\s*(?:NaN|-?Infinity)\b/.test(text)) {
			return invalid('RESULT_NOT_FINITE', 'the result holds NaN or Infinity, which are no JSON numbers');
		}
		return invalid('RESULT_SHAPE', `the result file is not one JSON value: ${(thrown as Error).message.slice(0, 200)}`);
	}
}

/** `1e999` is a JSON number and becomes Infinity. */
function hasNonFinite(value: unknown): boolean {
	const open: unknown[] = [value];
	while (open.length > 0) {
		const item = open.pop();
		if (typeof item === 'number' && !Number.isFinite(item)) return true;
		if (typeof item === 'object' && item !== null) for (const field of Object.values(item)) open.push(field);
	}
	return false;
}

function invalid(code: string, error: string): Ending {
	return { outcome: 'invalid', code, error };
}
