import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, openSandbox, run } from '@kapso-evolve/process';
import { describe, expect, it } from 'vitest';
import { evolve } from '../src/index.ts';
import { addOne, numberProblem } from './number-problem.ts';

const path = process.env.PATH ?? '';
const sandbox = await openSandbox({ path });
const jq = await findProgram('jq', path);
const page = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'evidence.md'), 'utf8');
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].map((block) => block[1]).join('\n');

describe.skipIf(sandbox.isolation === 'none' || jq === null)('docs/evidence.md (needs bubblewrap and jq)', () => {
	it('lets a reader check a score with git, sha256sum and jq, and shows them what was changed', async () => {
		await using problem = await numberProblem();
		const { metadata, best } = await evolve(await problem.options(addOne, { maxIterations: 2 }));
		const check = async () => {
			const env = { PATH: path, HOME: problem.folder, CAMPAIGN: problem.output };
			return await run({ argv: ['bash', '-c', commands], cwd: problem.folder, env, deadlineMs: 50_000 });
		};
		const honest = await check();
		expect(honest.stderr).toBe('');
		expect(honest.stdout).toContain(`head ${metadata.ledgerHead}`);
		expect(honest.stdout).toContain('the bytes are those that were recorded');
		expect(honest.stdout).toContain('the suite is the one that scored it');
		expect(honest.stdout).toContain(best?.commit);
		for (const wrong of ['broken', 'was changed', 'moved']) expect(honest.stdout).not.toContain(wrong);

		const ledger = join(problem.output, '.kapso', 'ledger.jsonl');
		const text = await readFile(ledger, 'utf8');
		await writeFile(ledger, text.replace('"score":3', '"score":9'));
		await writeFile(join(problem.output, '.kapso', 'suite', 'score.mjs'), '// weaker\n');
		const forged = await check();
		expect(forged.stdout).toContain('a line was changed');
		expect(forged.stdout).not.toContain('the suite is the one that scored it');
	});
});
