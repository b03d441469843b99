import { z } from 'zod';
import { finiteSchema } from './vocabulary.ts';

/** At most this many bytes are read of an agent's report (CONTRACTS 3). */
export const maxReportBytes = 1024 * 1024;

/** What one attempt may claim to have cost: sums of it stay finite, and nobody's attempt costs a million dollars. */
export const maxReportedCostUsd = 1_000_000;

/** What an agent writes to `KAPSO_REPORT_PATH`. Unknown keys are ignored: agents are a service, not people's configuration. */
export const agentReportSchema = z.object({
	schema_version: z.literal(1),
	/** `KAPSO_NONCE` of this very attempt: an echoed template or a quoted log carries another or none. */
	nonce: z.string().min(1),
	summary: z.string(),
	score: finiteSchema.nullish(),
	evaluation_output: z.string().nullish(),
	technical_difficulties: z.string().nullish(),
	cost_usd: finiteSchema.min(0).max(maxReportedCostUsd).nullish(),
	usage: z.record(z.string(), z.unknown()).nullish(),
	session_id: z.string().nullish(),
	model: z.string().nullish(),
});
export type AgentReport = z.output<typeof agentReportSchema>;

/** Variables that every agent gets (CONTRACTS 3). */
export const agentVariables = {
	runId: 'KAPSO_RUN_ID',
	nonce: 'KAPSO_NONCE',
	reportPath: 'KAPSO_REPORT_PATH',
	/** JSON argv that scores the working tree as the engine would; absent for private suites. */
	try: 'KAPSO_TRY',
} as const;
