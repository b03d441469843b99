import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EvaluationFile, type EvaluationFileInput, evaluationFileName } from '@kapso-evolve/contracts';
import { ensureFolder } from '@kapso-evolve/durable-fs';

/** A folder name that no suite uses by chance. */
const doctorFolder = 'kapso-doctor';

/** A copy of the suite with other commands: how outputs are read out of it and put into it. */
export interface SuiteVariant {
	readonly evalDir: string;
	readonly evaluation: EvaluationFileInput;
}

export interface OutputFile {
	readonly path: string;
	/** Base64. */
	readonly bytes: string;
}

const collector = `import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const root = process.env.KAPSO_OUTPUTS_DIR;
const files = readdirSync(root, { recursive: true, withFileTypes: true })
	.filter((entry) => entry.isFile())
	.map((entry) => join(entry.parentPath, entry.name))
	.map((path) => ({ path: path.slice(root.length + 1), bytes: readFileSync(path).toString('base64') }));
writeFileSync(process.env.KAPSO_RESULT_PATH, JSON.stringify({ schema_version: 1, valid: true, score: 0, feedback: JSON.stringify(files) }));
`;

const player = `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
for (const { path, bytes } of JSON.parse(readFileSync('${doctorFolder}/outputs.json', 'utf8'))) {
	const target = join(process.env.KAPSO_OUTPUTS_DIR, path);
	mkdirSync(dirname(target), { recursive: true });
	writeFileSync(target, Buffer.from(bytes, 'base64'));
}
`;

/** Runs the candidate as the suite does and answers its outputs as feedback instead of scoring them. */
export async function collectingVariant(suite: string, evaluation: EvaluationFile, to: string): Promise<SuiteVariant> {
	await copySuite(suite, to);
	await writeFile(join(to, doctorFolder, 'collect.mjs'), collector);
	const score = { command: ['node', `${doctorFolder}/collect.mjs`], timeout_seconds: 60 };
	return { evalDir: to, evaluation: { ...evaluation, metrics: [], cases: undefined, repeats: 1, score } };
}

/** Puts these outputs where the run phase's would be and scores them as the suite does. */
export async function replayingVariant(
	options: { readonly suite: string; readonly evaluation: EvaluationFile; readonly to: string },
	outputs: readonly OutputFile[],
): Promise<SuiteVariant> {
	const { suite, evaluation, to } = options;
	await copySuite(suite, to);
	await writeFile(join(to, doctorFolder, 'play.mjs'), player);
	await writeFile(join(to, doctorFolder, 'outputs.json'), JSON.stringify(outputs));
	return { evalDir: to, evaluation: withRun(evaluation, ['node', `${doctorFolder}/play.mjs`], [`${doctorFolder}/**`]) };
}

/** The suite with another program in the candidate's place. */
export async function commandVariant(
	options: { readonly suite: string; readonly evaluation: EvaluationFile; readonly to: string },
	command: string[],
): Promise<SuiteVariant> {
	await copySuite(options.suite, options.to);
	return { evalDir: options.to, evaluation: withRun(options.evaluation, command, []) };
}

function withRun(evaluation: EvaluationFile, command: string[], files: string[]): EvaluationFileInput {
	const run = { command, files, data: [], timeout_seconds: Math.min(5, evaluation.run?.timeout_seconds ?? 5) };
	return { ...evaluation, repeats: 1, build: undefined, run };
}

async function copySuite(suite: string, to: string): Promise<void> {
	await cp(suite, to, { recursive: true });
	await rm(join(to, evaluationFileName), { force: true });
	await ensureFolder(join(to, doctorFolder));
}
