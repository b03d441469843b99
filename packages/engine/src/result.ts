import type {
	EvaluationLevel,
	EvaluationProvenance,
	Isolation,
	Objective,
	ScoreSource,
	StoppedReason,
} from '@kapso-evolve/contracts';
import { KapsoError } from '@kapso-evolve/contracts';

/** The candidate that the campaign stands behind. */
export interface BestCandidate {
	readonly nodeId: number;
	readonly branch: string;
	readonly commit: string;
	readonly score: number | null;
	readonly scoreSource: ScoreSource | null;
	/** True when a second run from scratch gave the same score within the suite's noise. */
	readonly confirmed: boolean;
	readonly evaluationLevel: EvaluationLevel;
	readonly isolation: Isolation;
	readonly evaluationProvenance: EvaluationProvenance;
}

/** Whether the winner stands checked out in the campaign folder. */
export interface Delivery {
	readonly ref: string | null;
	readonly checkedOut: boolean;
	/** Why not. */
	readonly reason: string | null;
}

/** `scored + invalid + failed = total`. */
export interface CandidateCounts {
	readonly total: number;
	readonly scored: number;
	readonly invalid: number;
	readonly failed: number;
}

/** Names of documents 000 and 003 and of the Python release's metadata, in camelCase. */
export interface SolutionMetadata {
	readonly iterations: number;
	readonly cumulativeIterations: number;
	readonly costUsd: number;
	/** True when some attempt's cost is not known: the sum is then a lower bound. */
	readonly costUnknown: boolean;
	readonly elapsedSeconds: number;
	readonly stoppedReason: StoppedReason;
	readonly stopDetail: string | null;
	readonly bestBranch: string | null;
	readonly resumed: boolean;
	readonly invalidEvaluations: readonly number[];
	/** Of the delivered candidate. */
	readonly externalMetrics: Readonly<Record<string, number>>;
	readonly externalPrimaryMetric: string | null;
	/** SHA-256 of the ledger's last line: kept elsewhere, it anchors the evidence (`verify --head`). */
	readonly ledgerHead: string;
}

export interface SolutionResult {
	readonly goal: string;
	readonly outputPath: string;
	readonly objective: Objective;
	readonly evaluationLevel: EvaluationLevel;
	readonly isolation: Isolation;
	readonly best: BestCandidate | null;
	/** Score of `main`; null when it was not or could not be scored. */
	readonly baselineScore: number | null;
	/** True when the best candidate's score is better than the baseline's by more than the noise. */
	readonly improved: boolean;
	readonly delivery: Delivery;
	readonly candidates: CandidateCounts;
	/** One line a candidate: `Success: …`, `Failed: …`, `Rejected: …`. */
	readonly experimentLogs: readonly string[];
	readonly finalFeedback: string | null;
	readonly metadata: SolutionMetadata;
}

/** The campaign ended well and only its checkout was refused; nothing is lost, `solution` is complete. */
export class DeliveryError extends KapsoError {
	readonly solution: SolutionResult;

	constructor(solution: SolutionResult, cause: KapsoError) {
		super({
			code: 'DELIVERY_REFUSED',
			category: 'verdict',
			message: `the winner ${solution.best?.branch ?? ''} was not checked out in ${solution.outputPath}: ${cause.message}`,
			hint: `your files are untouched and every candidate is on its branch; commit or move your changes, then: git -C ${JSON.stringify(solution.outputPath)} switch ${solution.best?.branch ?? 'main'}`,
			data: cause.data,
			cause,
		});
		this.solution = solution;
	}
}
