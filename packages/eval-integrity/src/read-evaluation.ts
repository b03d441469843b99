import {
	type EvaluationFile,
	type EvaluationFileInput,
	evaluationFileSchema,
	nearestName,
} from '@kapso-evolve/contracts';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type EvaluationProblem, evaluationError } from './evaluation-problem.ts';
import { reviewEvaluation } from './review-evaluation.ts';

type Key = string | number;
type Place = { readonly line: number | null; readonly column: number | null };
/** Where a path stands in the source; with a key, where that key stands below the path. */
type Locate = (path: readonly Key[], key?: string) => Place;

/** Parses the bytes of `kapso.evaluation.yaml`. Throws `EVALUATION_FILE` with every problem, its line and column. */
export function parseEvaluationFile(bytes: Uint8Array, file: string, suitePaths: readonly string[]): EvaluationFile {
	let text: string;
	try {
		text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		throw evaluationError(file, [{ path: '', line: 1, column: 1, message: 'is not UTF-8 text' }]);
	}
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true, uniqueKeys: true });
	const placeOf = (offset: number): Place => {
		const { line, col } = lines.linePos(offset);
		return { line, column: col };
	};
	const faults = [...document.errors, ...document.warnings];
	if (faults.length > 0) {
		throw evaluationError(
			file,
			faults.map((fault) => ({ path: '', ...placeOf(fault.pos[0]), message: fault.message })),
		);
	}
	const locate: Locate = (path, key) => {
		for (let depth = path.length; depth >= 0; depth--) {
			const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
			if (depth === path.length && key !== undefined && isMap(node)) {
				const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
				if (isScalar(pair?.key) && pair.key.range) return placeOf(pair.key.range[0]);
			}
			const range = (node as { range?: readonly number[] | null } | null | undefined)?.range;
			if (range) return placeOf(range[0]!);
		}
		return { line: 1, column: 1 };
	};
	return checkEvaluation(toPlain(document, file), { file, locate, suitePaths });
}

/** Checks an evaluation that came from configuration: the same rules, without lines. */
export function checkEvaluationInput(
	input: EvaluationFileInput,
	file: string,
	suitePaths: readonly string[],
): EvaluationFile {
	return checkEvaluation(input, { file, suitePaths, locate: () => ({ line: null, column: null }) });
}

/** An alias would let a small file mean a huge one, and this schema needs none. */
function toPlain(document: ReturnType<typeof parseDocument>, file: string): unknown {
	try {
		return document.toJS({ maxAliasCount: 0 });
	} catch {
		throw evaluationError(file, [{ path: '', line: 1, column: 1, message: 'aliases (*name) are not allowed' }]);
	}
}

function checkEvaluation(
	input: unknown,
	source: { readonly file: string; readonly locate: Locate; readonly suitePaths: readonly string[] },
): EvaluationFile {
	const parsed = evaluationFileSchema.safeParse(input);
	const problems: EvaluationProblem[] = parsed.success
		? reviewEvaluation(parsed.data, source.suitePaths).map(({ path, message }) => ({
				path: path.join('.'),
				...source.locate(path),
				message,
			}))
		: parsed.error.issues.flatMap((issue) => describeIssue(issue, source.locate));
	if (problems.length > 0) throw evaluationError(source.file, problems);
	return parsed.data!;
}

function describeIssue(issue: z.core.$ZodIssue, locate: Locate): EvaluationProblem[] {
	const path = issue.path as Key[];
	if (issue.code !== 'unrecognized_keys') {
		return [{ path: path.join('.'), ...locate(path), message: issue.message }];
	}
	const known = knownKeys(path);
	return issue.keys.map((key) => {
		const near = nearestName(key, known);
		const advice = near ? `did you mean ${near}?` : `known keys: ${known.join(', ')}`;
		return { path: [...path, key].join('.'), ...locate(path, key), message: `unknown key; ${advice}` };
	});
}

interface SchemaNode {
	readonly shape?: Readonly<Record<string, SchemaNode>>;
	readonly def?: { readonly innerType?: SchemaNode; readonly element?: SchemaNode };
}

/** The keys that the schema has at a path, read from the schema itself. */
function knownKeys(path: readonly Key[]): string[] {
	const bare = (node: SchemaNode | undefined): SchemaNode | undefined =>
		node?.def?.innerType ? bare(node.def.innerType) : node;
	let node = bare(evaluationFileSchema as unknown as SchemaNode);
	for (const key of path) node = bare(typeof key === 'number' ? node?.def?.element : node?.shape?.[key]);
	return Object.keys(node?.shape ?? {});
}
