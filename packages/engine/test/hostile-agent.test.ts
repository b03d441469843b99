import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSandbox } from '@kapso-evolve/process';
import { git, readFiles, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { evolve, readCampaign, verifyCampaign } from '../src/index.ts';
import { numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const environment = { PATH: process.env.PATH };

describe.skipIf(sandbox.isolation === 'none')('an agent that means harm (needs bubblewrap)', () => {
	it('loses its own attempt with links, and never the campaign [T016, T133, D12, E03, G12]', async () => {
		await using problem = await numberProblem();
		const precious = join(problem.folder, 'precious');
		await mkdir(precious);
		await writeFiles(precious, { 'clone/value.txt': '1000\n', 'kept.txt': 'the user’s\n' });
		const before = await readFiles(precious);
		const solution = await evolve(
			await problem.options(
				`
const attempt = process.env.KAPSO_REPORT_PATH.replace(/.report.json$/, '');
write('value.txt', '50');
report({ summary: 'links' });
[
	() => symlinkSync('/etc/hostname', 'absolute'),
	() => symlinkSync('../../../../outside', 'escaping'),
	() => symlinkSync('.git/config', 'config'),
	() => rmSync(attempt, { recursive: true }),
	() => { rmSync('../clone', { recursive: true }); symlinkSync(${JSON.stringify(join(precious, 'clone'))}, '../clone'); },
	() => { rmSync(attempt, { recursive: true }); symlinkSync(${JSON.stringify(precious)}, attempt); },
	() => write('value.txt', '2'),
][Number(attempt.match(/generic_exp_(\\d+)$/)[1])]();`,
				{ maxIterations: 7 },
			),
		);

		expect(solution).toMatchObject({
			best: { nodeId: 6, score: 2 },
			candidates: { total: 7, scored: 1, invalid: 6, failed: 0 },
			metadata: { stoppedReason: 'max_iterations' },
		});
		const { nodes } = await readCampaign(problem.output);
		expect(nodes.map(({ code }) => code)).toEqual([
			'TREE_PATH_POLICY',
			'TREE_PATH_POLICY',
			'TREE_PATH_POLICY',
			'CANDIDATE_REJECTED',
			'CANDIDATE_REJECTED',
			'CANDIDATE_REJECTED',
			null,
		]);
		expect(nodes.slice(0, 6).every(({ evaluationValid, score }) => !evaluationValid && score === null)).toBe(true);
		expect(await readFiles(precious)).toEqual(before);
		expect(await verifyCampaign(problem.output, { environment })).toMatchObject({ ok: true, problems: [] });
	});

	it('cannot stop a campaign with what it says: control characters and impossible costs [D12, E34, E58]', async () => {
		await using problem = await numberProblem();
		const solution = await evolve(
			await problem.options(
				`
write('value.txt', String(Number(read('value.txt')) + 1));
report({ summary: 'nul \\0 and \\u001b[31mred\\n\\0', cost_usd: Number(read('value.txt')) === 2 ? 0.5 : 1.7e308, session_id: '\\0', model: '\\ud800' });`,
				{ maxIterations: 3, costBudget: 10 },
			),
		);

		expect(solution).toMatchObject({ best: { score: 4 }, candidates: { total: 3, scored: 3 } });
		expect(solution.metadata).toMatchObject({ stoppedReason: 'max_iterations', costUnknown: true });
		const message = await git(problem.output, 'log', '-1', '--format=%s', 'generic_exp_0');
		expect(message).toBe('nul and [31mred');
		expect(JSON.parse(await readFile(join(problem.output, '.kapso', 'run_state.json'), 'utf8'))).toMatchObject({
			cumulative_cost: 0.5,
			cost_unknown: true,
		});
	});
});
