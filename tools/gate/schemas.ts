// Writes docs/schemas/*.json: the contracts' zod schemas as JSON Schema, for editors and programs in other languages.
// With `--check` nothing is written, and a file that is not current is a failure.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
	agentReportSchema,
	evaluationFileSchema,
	evaluationResultSchema,
	ledgerLineSchema,
	searchNodeSchema,
} from '@kapso-evolve/contracts';
import { z } from 'zod';

const schemas = {
	'evaluation-file': evaluationFileSchema,
	'evaluation-result': evaluationResultSchema,
	'agent-report': agentReportSchema,
	'ledger-line': ledgerLineSchema,
	'search-node': searchNodeSchema,
};

const folder = join(import.meta.dirname, '..', '..', 'docs', 'schemas');
const check = process.argv.includes('--check');
await mkdir(folder, { recursive: true });
for (const [name, schema] of Object.entries(schemas)) {
	const path = join(folder, `${name}.json`);
	// What may be written: a key with a default may be left out.
	const text = `${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`;
	if (!check) await writeFile(path, text);
	else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
		console.log(`docs/schemas/${name}.json is not current: run node tools/gate/schemas.ts`);
		process.exitCode = 1;
	}
}
