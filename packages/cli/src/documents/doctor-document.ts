import { evaluationLevelSchema, finiteSchema, isolationSchema, outcomeSchema } from '@kapso-evolve/contracts';
import type { MachineReport, SuiteReport } from '@kapso-evolve/engine';
import { z } from 'zod';
import { agentsDocument, agentsDocumentSchema } from './agents-document.ts';
import { schemaVersion } from './common.ts';

/** `doctor --json`: the machine, and with a suite its trial; `suite` is null without one. */
export const doctorDocumentSchema = z.strictObject({
	schema_version: schemaVersion,
	checks: z.array(
		z.strictObject({ name: z.string(), status: z.enum(['ok', 'warn', 'fail']), what: z.string(), advice: z.string() }),
	),
	agents: agentsDocumentSchema.shape.agents,
	suite: z
		.strictObject({
			grade: z.enum(['A', 'B', 'C', 'D', 'F']),
			level: evaluationLevelSchema,
			isolation: isolationSchema,
			baseline_score: finiteSchema.nullable(),
			noise_floor: z.number().min(0).nullable(),
			pairs: z.int().min(1),
			false_promotion_rate: z.number().min(0).max(1),
			trials: z.array(
				z.strictObject({
					name: z.string(),
					outcome: outcomeSchema,
					code: z.string().nullable(),
					score: finiteSchema.nullable(),
					expected: z.string(),
					passed: z.boolean(),
				}),
			),
			findings: z.array(
				z.strictObject({
					code: z.string(),
					severity: z.enum(['blocking', 'warning', 'note']),
					what: z.string(),
					advice: z.string(),
				}),
			),
		})
		.nullable(),
});
export type DoctorDocument = z.output<typeof doctorDocumentSchema>;

export function doctorDocument(machine: MachineReport, suite: SuiteReport | null): DoctorDocument {
	return {
		schema_version: 1,
		checks: machine.checks.map((check) => ({ ...check })),
		agents: agentsDocument(machine.agents).agents,
		suite:
			suite === null
				? null
				: {
						grade: suite.grade,
						level: suite.level,
						isolation: suite.isolation,
						baseline_score: suite.baselineScore,
						noise_floor: suite.noiseFloor,
						pairs: suite.pairs,
						false_promotion_rate: suite.falsePromotionRate,
						trials: suite.trials.map((trial) => ({ ...trial })),
						findings: suite.findings.map((finding) => ({ ...finding })),
					},
	};
}
