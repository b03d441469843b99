import { generateKeyPairSync } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { volatileLedgerFields } from '@kapso-evolve/contracts';
import { openSandbox } from '@kapso-evolve/process';
import { countingIds, fakeClock, git } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { evolve, resumeCampaign, verifyCampaign } from '../src/index.ts';
import { addOne, type NumberProblem, numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const environment = { PATH: process.env.PATH };
const pair = () => {
	const { privateKey, publicKey } = generateKeyPairSync('ed25519');
	return {
		signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
		publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
	};
};
const ledgerOf = (output: string) => readFile(join(output, '.kapso', 'ledger.jsonl'), 'utf8');

/** What CONTRACTS 5 says is left of a ledger when the volatile fields are dropped. */
function stable(ledger: string): unknown[] {
	const dropped = new Set<string>(volatileLedgerFields);
	return ledger
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line, (key, value) => (dropped.has(key) || key.endsWith('_ms') ? undefined : value)));
}

describe.skipIf(sandbox.isolation === 'none')('the evidence of a sealed campaign (needs bubblewrap)', () => {
	it('is the same twice: with injected clock and ids but for what was measured, and in all that is derived [E23, M314]', async () => {
		await using problem = await numberProblem();
		const run = async (name: string) => {
			const output = join(problem.folder, name);
			const options = await problem.options(addOne, { clock: fakeClock(), ids: countingIds(), maxIterations: 2 });
			await evolve({ ...options, outputPath: output, workDir: join(problem.folder, `${name} state`) });
			return { ledger: await ledgerOf(output), head: await git(output, 'rev-parse', 'generic_exp_1') };
		};
		const [first, second] = [await run('one'), await run('two')];
		expect(stable(second.ledger)).toEqual(stable(first.ledger));
		expect(second.head).toBe(first.head);
	});

	it('binds each score to candidate, parent, suite, policy, programs and isolation [EI04, M407, E36]', async () => {
		await using problem = await numberProblem();
		await evolve(await problem.options(addOne, { maxIterations: 1 }));
		const line = (await ledgerOf(problem.output))
			.split('\n')
			.find((text) => text.includes('"type":"evaluated"') && text.includes('"node_id":0'));
		const { data } = JSON.parse(line!);
		const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
		expect(data).toMatchObject({
			commit: await git(problem.output, 'rev-parse', 'generic_exp_0'),
			parent_commit: await git(problem.output, 'rev-parse', 'main'),
			tree_sha256: sha256,
			suite_digest: sha256,
			policy_digest: sha256,
			data_digest: null,
			programs: [{ path: expect.stringContaining('node'), digest: sha256 }],
			git_version: expect.stringMatching(/^\d/),
			engine_version: expect.any(String),
			level: 'sealed',
			isolation: 'os',
			candidate_isolated: true,
			wall_ms: expect.any(Number),
			peak_memory_bytes: expect.any(Number),
		});
	});

	it('can be scored again by whoever has the folder, wherever it stands [E42, E39, T097]', async () => {
		await using problem = await numberProblem();
		const solution = await evolve(await problem.options(addOne, { maxIterations: 2 }));
		const copy = join(problem.folder, 'else where', 'campaign');
		await cp(problem.output, copy, { recursive: true });
		for (const gone of [problem.output, join(problem.folder, 'state'), problem.suite, problem.seed])
			await rm(gone, { recursive: true });
		const head = solution.metadata.ledgerHead;
		expect(await verifyCampaign(copy, { environment, head, rescore: true })).toMatchObject({
			ok: true,
			anchored: true,
			problems: [],
		});
		await writeFile(join(copy, '.kapso', 'suite', 'score.mjs'), 'process.exit(0)');
		const found = await verifyCampaign(copy, { environment, head });
		expect(found.problems.map((problem) => problem.code)).toContain('SUITE_DIFFERS');
	});

	it('signed, verifies with the pinned key, and with no other, and not with a signature left out', async () => {
		await using problem = await numberProblem();
		const [ours, theirs] = [pair(), pair()];
		const options = await problem.options(addOne, { maxIterations: 1, signingKey: ours.signingKey });
		await evolve(options);
		await resumeCampaign(problem.output, { maxIterations: 1, environment, signingKey: ours.signingKey });
		const report = (publicKey: string) => verifyCampaign(problem.output, { environment, publicKey });
		expect(await report(ours.publicKey)).toMatchObject({ ok: true, problems: [] });
		const foreign = await report(theirs.publicKey);
		expect(foreign.problems.map((problem) => problem.code)).toEqual([
			'NOT_SIGNED',
			'NOT_SIGNED',
			'NOT_SIGNED',
			'NOT_SIGNED',
		]);
		const file = join(problem.output, '.kapso', 'signatures.jsonl');
		const lines = (await readFile(file, 'utf8')).trim().split('\n');
		await writeFile(file, `${lines.slice(1).join('\n')}\n`);
		expect((await report(ours.publicKey)).problems.map((problem) => problem.code)).toEqual(['NOT_SIGNED']);
		const everything = await readFile(join(problem.output, '.kapso', 'launch.json'), 'utf8');
		expect(everything).not.toContain('PRIVATE KEY');
	});

	it('shows a rewritten chain to whoever kept the head, and changed bytes to everybody [D46, T093, T097]', async () => {
		await using problem = await numberProblem();
		const { metadata } = await evolve(await problem.options(addOne, { maxIterations: 1 }));
		await edits(problem, metadata.ledgerHead);
	});
});

/** Every eleventh byte of the small files that carry the evidence, changed one at a time. */
async function edits(problem: NumberProblem, head: string): Promise<void> {
	const missed: string[] = [];
	for (const name of [
		'ledger.jsonl',
		'run_state.json',
		'experiment_history.json',
		'suite/score.mjs',
		'suite/kapso.evaluation.yaml',
	]) {
		const file = join(problem.output, '.kapso', name);
		const bytes = await readFile(file);
		const step = process.env.KAPSO_NIGHTLY === '1' ? 23 : Math.ceil(bytes.length / 6);
		for (let at = 3; at < bytes.length; at += step) {
			const changed = Buffer.from(bytes);
			changed[at] = changed[at]! ^ 1;
			await writeFile(file, changed);
			const report = await verifyCampaign(problem.output, { environment, head }).catch(() => ({ ok: false }));
			if (report.ok) missed.push(`${name}:${at}`);
		}
		await writeFile(file, bytes);
	}
	expect(missed).toEqual([]);
	expect(await verifyCampaign(problem.output, { environment, head })).toMatchObject({ ok: true, anchored: true });
}
