import { finiteSchema } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { evolveDocumentSchema } from './evolve-document.ts';

/** Score of the set that guided nothing: of `main` and of the winner. */
const hiddenScoreSchema = z.strictObject({
	baseline: finiteSchema.nullable(),
	best: finiteSchema.nullable(),
});
export type HiddenScore = z.output<typeof hiddenScoreSchema>;

/** `demo --json`: the document of `evolve`, and the hidden set apart from it. */
export const demoDocumentSchema = evolveDocumentSchema.extend({ hidden_score: hiddenScoreSchema });
export type DemoDocument = z.output<typeof demoDocumentSchema>;
