// `npm run -s edit-sweep -- [--edits N] [--seed N] [--json]`
import { chmod, cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inflateSync } from 'node:zlib';
import { seededRandom } from '@kapso-evolve/contracts';
import { evolve, verifyCampaign } from '@kapso-evolve/engine';
import { createRepository, git, readFiles, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { whyIrrelevant } from './irrelevant.ts';

const { values } = parseArgs({
	options: {
		edits: { type: 'string', default: '300' },
		seed: { type: 'string', default: '1' },
		json: { type: 'boolean', default: false },
	},
});
const environment = { PATH: process.env.PATH };
const random = seededRandom(Number(values.seed));
await using temporary = await temporaryFolder('edit sweep');
const { campaign, head } = await createCampaign(temporary.path);
const report = { edits: 0, found: 0, irrelevant: 0, missed: [] as string[] };
// One file, then one byte of it: every file is as likely as every other, or the largest pack would take all edits.
const paths = Object.keys(await readFiles(campaign)).sort();
for (let edit = 0; edit < Number(values.edits); edit++) {
	const path = paths[Math.floor(random.next() * paths.length)]!;
	await changeOneByte(path);
}
if (!(await isAccepted())) report.missed.push('the unchanged campaign is not accepted');
process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
process.exitCode = report.missed.length === 0 ? 0 : 1;

async function changeOneByte(path: string): Promise<void> {
	const file = join(campaign, path);
	const bytes = await readFile(file);
	if (bytes.length === 0) return;
	const { mode } = await stat(file);
	const at = Math.floor(random.next() * bytes.length);
	const changed = Buffer.from(bytes);
	changed[at] = changed[at]! ^ (1 << Math.floor(random.next() * 8));
	await chmod(file, 0o644);
	await writeFile(file, changed);
	report.edits += 1;
	const irrelevant = whyIrrelevant(path) !== null || isSameObject(path, bytes, changed);
	if (!(await isAccepted())) report.found += 1;
	else if (irrelevant) report.irrelevant += 1;
	else report.missed.push(`${path}:${at}`);
	await writeFile(file, bytes);
	await chmod(file, mode);
}

/** A deflated object may have bits that stand for nothing: its content, and so its id, is the same. */
function isSameObject(path: string, before: Buffer, after: Buffer): boolean {
	if (!/^\.git\/objects\/[0-9a-f]{2}\//.test(path)) return false;
	try {
		return inflateSync(before).equals(inflateSync(after));
	} catch {
		return false; // it cannot be inflated any more: a change that has to be found
	}
}

async function isAccepted(): Promise<boolean> {
	return (await verifyCampaign(campaign, { environment, head }).catch(() => ({ ok: false }))).ok;
}

async function createCampaign(folder: string): Promise<{ campaign: string; head: string }> {
	await createRepository(join(folder, 'seed'), { 'value.txt': '1\n', 'lib/code.txt': 'text\n'.repeat(50) });
	await writeFiles(folder, {
		'suite/kapso.evaluation.yaml':
			'version: 1\nrun: {command: [sh, run.sh], files: [run.sh]}\nscore: {command: [sh, score.sh]}\n',
		'suite/run.sh': 'cp "$KAPSO_CANDIDATE_DIR/value.txt" "$KAPSO_OUTPUTS_DIR/value.txt"\n',
		'suite/score.sh':
			'printf \'{"schema_version":1,"valid":true,"score":%s}\' "$(cat "$KAPSO_OUTPUTS_DIR/value.txt")" > "$KAPSO_RESULT_PATH"\n',
		'data/labels.txt': 'a label\n',
		'agent.sh':
			'cat > /dev/null; echo $(($(cat value.txt) + 1)) > value.txt; printf \'{"schema_version":1,"nonce":"%s","summary":"one more","cost_usd":0}\' "$KAPSO_NONCE" > "$KAPSO_REPORT_PATH"\n',
	});
	const output = join(folder, 'output');
	const { metadata } = await evolve({
		goal: 'more',
		outputPath: output,
		workDir: join(folder, 'state'),
		initialRepo: join(folder, 'seed'),
		evalDir: join(folder, 'suite'),
		dataDir: join(folder, 'data'),
		agent: 'command',
		agentCommand: ['sh', join(folder, 'agent.sh')],
		maxIterations: 3,
		environment,
	});
	const campaign = join(folder, 'elsewhere');
	await cp(output, campaign, { recursive: true });
	for (const gone of ['output', 'state', 'seed', 'suite']) await rm(join(folder, gone), { recursive: true });
	await git(campaign, 'status', '--short');
	return { campaign, head: metadata.ledgerHead };
}
