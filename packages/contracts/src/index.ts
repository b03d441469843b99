export { type AgentReport, agentReportSchema, agentVariables, maxReportBytes } from './agent-report.ts';
export type { CandidateTree, TreeEntry, TreeEntryType } from './candidate-tree.ts';
export { canonicalJson, sha256 } from './canonical-json.ts';
export { fromDiskNames, toDiskNames } from './disk-names.ts';
export { describeThrown, type ErrorCategory, KapsoError, type KapsoErrorOptions } from './error.ts';
export {
	type EvaluationFile,
	type EvaluationFileInput,
	evaluationFileName,
	evaluationFileSchema,
} from './evaluation-file.ts';
export { type EvaluationResult, evaluationResultSchema, maxResultBytes } from './evaluation-result.ts';
export {
	type LedgerEntry,
	type LedgerLine,
	type LedgerType,
	ledgerLineSchema,
	ledgerTypeSchema,
	volatileLedgerFields,
} from './ledger.ts';
export { nearestName } from './nearest-name.ts';
export { type SearchNode, type SearchNodeInput, searchNodeSchema } from './node.ts';
export { encodeNode } from './node-record.ts';
export {
	type Clock,
	type Ids,
	type LlmClient,
	type Logger,
	type McpServerSpec,
	type Random,
	randomIds,
	seededRandom,
	silentLogger,
	systemClock,
} from './ports.ts';
export {
	commitIdSchema,
	dataFolder,
	type EvaluationLevel,
	type EvaluationProvenance,
	evaluationLevelSchema,
	evaluationProvenanceSchema,
	type FailurePolicy,
	failurePolicySchema,
	finiteSchema,
	type Isolation,
	isolationSchema,
	type Objective,
	type Outcome,
	objectiveSchema,
	outcomeSchema,
	type ParentPolicy,
	parentPolicySchema,
	type ScoreSource,
	type StoppedReason,
	scoreSourceSchema,
	sha256Schema,
	stateFolder,
	stoppedReasonSchema,
	suiteFolder,
} from './vocabulary.ts';
