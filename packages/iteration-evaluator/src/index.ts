export { type CommandEvaluatorOptions, commandEvaluator } from './command-evaluator.ts';
export { type EvaluateIterationOptions, evaluateIteration } from './evaluate-iteration.ts';
export { IterationEvaluationError } from './evaluation-error.ts';
export type {
	ExternalEvaluation,
	IterationEvaluationContext,
	IterationEvaluationResult,
	IterationEvaluator,
	JsonValue,
} from './evaluator.ts';
export { evaluatorIdentity } from './evaluator-identity.ts';
export { type ModuleEvaluatorOptions, moduleEvaluator } from './module-evaluator.ts';
export { parseResult } from './parse-result.ts';
