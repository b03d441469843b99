import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSandbox, run } from '@kapso-evolve/process';
import { writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { readCampaign, type SolutionResult, verifyCampaign } from '../src/index.ts';
import { addOne, type NumberProblem, numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const program = fileURLToPath(new URL('./killed-campaign.ts', import.meta.url));
/** Every event of a two-candidate campaign in the nightly run, a spread of them otherwise. */
const points =
	process.env.KAPSO_NIGHTLY === '1' ? Array.from({ length: 26 }, (_, index) => index + 1) : [2, 5, 6, 8, 14];

async function start(problem: NumberProblem, options: object, at: number) {
	await writeFiles(problem.folder, { 'options.json': JSON.stringify(options) });
	return await run({
		argv: [
			process.execPath,
			'--conditions=@kapso-evolve/source',
			program,
			join(problem.folder, 'options.json'),
			String(at),
		],
		cwd: problem.folder,
		env: { PATH: process.env.PATH ?? '' },
		deadlineMs: 50_000,
	});
}

describe.skipIf(sandbox.isolation === 'none')('a campaign killed with SIGKILL (needs bubblewrap)', () => {
	it.each(points)(
		'at event %i ends as an unkilled one, nothing lost, repeated or left behind [E22, D12, D13, E16, M315, M318]',
		async (at) => {
			await using problem = await numberProblem();
			const { environment: _, ...options } = await problem.options(addOne, { maxIterations: 2 });
			const killed = await start(problem, options, at);
			expect(killed.signalName).toBe('SIGKILL');
			const before = (await readCampaign(problem.output)).nodes;

			const resumed = await start(problem, { outputPath: problem.output, resume: true }, 0);
			expect(resumed.stderr).toBe('');
			const { solution } = JSON.parse(resumed.stdout) as { solution: SolutionResult };
			expect(solution).toMatchObject({
				best: { nodeId: 1, score: 3, confirmed: true },
				baselineScore: 1,
				candidates: { total: 2, scored: 2 },
				delivery: { checkedOut: true },
			});
			const view = await readCampaign(problem.output);
			expect(view.nodes.slice(0, before.length)).toEqual(before);
			expect(view.nodes.map((node) => node.score)).toEqual([2, 3]);
			expect(await verifyCampaign(problem.output, { environment: { PATH: process.env.PATH } })).toMatchObject({
				ok: true,
				problems: [],
			});
			const [stateFolder = ''] = await readdir(join(problem.folder, 'state'));
			expect(await readdir(join(problem.folder, 'state', stateFolder, 'attempts'))).toEqual([]);
			await expect(access(join(problem.output, '.kapso', 'lock'))).rejects.toThrow();
		},
	);
});
