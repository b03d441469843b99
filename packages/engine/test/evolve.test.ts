import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSandbox } from '@kapso-evolve/process';
import { git, readFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import {
	type CampaignEvent,
	DeliveryError,
	evolve,
	readCampaign,
	readCandidate,
	resumeCampaign,
	verifyCampaign,
} from '../src/index.ts';
import { addOne, numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const environment = { PATH: process.env.PATH };

describe.skipIf(sandbox.isolation === 'none')('a sealed campaign (needs bubblewrap)', () => {
	it('delivers the best proven candidate and leaves the seed byte for byte as it was [EI07, EI13, EI18, M314, M507, A9]', async () => {
		await using problem = await numberProblem();
		const before = await readFiles(problem.seed);
		const events: CampaignEvent[] = [];
		const solution = await evolve(
			await problem.options(addOne, { maxIterations: 3, onEvent: (event) => events.push(event) }),
		);

		expect(solution).toMatchObject({
			baselineScore: 1,
			improved: true,
			evaluationLevel: 'sealed',
			isolation: 'os',
			best: { nodeId: 2, branch: 'generic_exp_2', score: 4, scoreSource: 'engine', confirmed: true },
			delivery: { ref: 'generic_exp_2', checkedOut: true, reason: null },
			candidates: { total: 3, scored: 3, invalid: 0, failed: 0 },
			metadata: { iterations: 3, cumulativeIterations: 3, stoppedReason: 'max_iterations', resumed: false },
		});
		expect(await readFiles(problem.seed)).toEqual(before);
		expect(await readFile(join(problem.output, 'value.txt'), 'utf8')).toBe('4');
		expect(await git(problem.output, 'branch', '--format=%(refname:short)')).toBe(
			'generic_exp_0\ngeneric_exp_1\ngeneric_exp_2\nmain',
		);
		expect(await git(problem.output, 'status', '--porcelain')).toBe('');
		expect(await verifyCampaign(problem.output, { environment })).toMatchObject({
			ok: true,
			problems: [],
			candidates: 3,
		});
		expect(await verifyCampaign(problem.output, { environment, head: solution.metadata.ledgerHead })).toMatchObject({
			ok: true,
			anchored: true,
		});
		expect(events.map((event) => event.type).filter((type) => type === 'recorded')).toHaveLength(3);
		expect(Object.isFrozen(events[0])).toBe(true);

		const view = await readCampaign(problem.output);
		expect(view).toMatchObject({
			status: 'running',
			lock: null,
			lastStop: { reason: 'max_iterations', detail: null },
			improved: true,
		});
		expect((await readCandidate(problem.output, 0)).diff).toContain('+2');
	});

	it('rejects a candidate that touches the suite, and keeps an honest one [M501, M503, M504, M505, M508, M509, M511, EI34, EI16, EI28, EI29, EI30, EI31, EI32, EI38, EI40, EI41, A77, A80, T001, T002]', async () => {
		await using problem = await numberProblem();
		const cheat = `
const id = Number(/Candidate|generic_exp/.test(prompt) ? 1 : 0);
if (!existsSync('mark')) { write('mark', ''); }
const n = Number(read('value.txt'));
if (n === 1) { write('value.txt', '2'); mkdirSync('kapso_evaluation/logs', { recursive: true }); write('kapso_evaluation/result.json', '{}'); write('kapso_evaluation/logs/run.log', 'x'); }
else { write('value.txt', '100'); appendFileSync('kapso_evaluation/score.mjs', '\\n// weaker'); }
report({ summary: 'try', score: 1000 });`;
		const solution = await evolve(await problem.options(cheat, { maxIterations: 2 }));
		expect(solution).toMatchObject({
			best: { nodeId: 0, score: 2 },
			candidates: { total: 2, scored: 1, invalid: 1, failed: 0 },
			metadata: { invalidEvaluations: [1] },
		});
		const [honest, cheating] = (await readCampaign(problem.output)).nodes;
		expect(honest).toMatchObject({
			evaluationValid: true,
			stripped: ['kapso_evaluation/logs/run.log', 'kapso_evaluation/result.json'],
			reportedScore: 1000,
		});
		expect(cheating).toMatchObject({
			evaluationProvenance: 'provided',
			evaluationValid: false,
			evaluationIntegrityError: expect.stringMatching(/^Provided evaluation integrity check failed \(changed: /),
			score: null,
			shouldStop: false,
			outcome: 'invalid',
		});
		expect(solution.experimentLogs[1]).toMatch(/^Rejected: /);
		expect(await verifyCampaign(problem.output, { environment })).toMatchObject({ ok: true });
	});

	it('gives every failure its outcome and never a number [E28, T040, T110]', async () => {
		await using problem = await numberProblem();
		const script = `
const tried = read(process.env.KAPSO_REPORT_PATH.replace(/report.json$/, '') + 'clone/.git/HEAD');
const branch = process.env.KAPSO_REPORT_PATH.split('/').at(-2);
if (branch.endsWith('_0')) { write('value.txt', 'NaN'); report({ summary: 'nan' }); }
else if (branch.endsWith('_1')) { write('value.txt', 'crash'); report({ summary: 'crash' }); }
else if (branch.endsWith('_2')) { report({ summary: 'nothing' }); }
else if (branch.endsWith('_3')) { write('value.txt', '50'); process.exit(3); }
else { rmSync('kapso_evaluation', { recursive: true }); rmSync('value.txt'); rmSync('README.md'); report({ summary: 'all gone' }); }`;
		const solution = await evolve(await problem.options(script, { maxIterations: 5, parentPolicy: 'baseline' }));
		const { nodes } = await readCampaign(problem.output);
		expect(
			nodes.map(({ outcome, code, score, evaluationValid }) => ({ outcome, code, score, evaluationValid })),
		).toEqual([
			{ outcome: 'invalid', code: expect.stringMatching(/^RESULT_/), score: null, evaluationValid: true },
			{ outcome: 'crashed', code: 'RUN_CRASHED', score: null, evaluationValid: true },
			{ outcome: 'no-change', code: 'NO_CHANGE', score: null, evaluationValid: true },
			{ outcome: 'agent-failed', code: 'AGENT_FAILED', score: null, evaluationValid: true },
			{ outcome: 'invalid', code: expect.any(String), score: null, evaluationValid: false },
		]);
		expect(solution).toMatchObject({
			best: null,
			improved: false,
			delivery: { checkedOut: false },
			candidates: { scored: 0, invalid: 2, failed: 3 },
		});
		expect(await git(problem.output, 'show', 'generic_exp_3:value.txt')).toBe('50');
	});

	it('continues with the next node id and refuses what differs, naming it, before anything is touched [A31, A41, A42, A50, M301, M302, M303, M305, M316, A162, E21, EI42, EI43, EI45, EI46, D18, D47]', async () => {
		await using problem = await numberProblem();
		const options = await problem.options(addOne, { maxIterations: 1 });
		await evolve(options);
		await expect(evolve(options)).rejects.toMatchObject({ code: 'CAMPAIGN_EXISTS', category: 'usage' });
		const before = await readFiles(problem.output);
		await expect(
			evolve({ ...options, resume: true, goal: 'another', parentPolicy: 'baseline', evalDir: undefined }),
		).rejects.toMatchObject({
			category: 'usage',
			message: expect.stringMatching(/goal[\s\S]*strategy_params[\s\S]*suite_digest|goal/),
		});
		expect(await readFiles(problem.output)).toEqual(before);
		const solution = await evolve({ ...options, resume: true, initialRepo: undefined });
		expect(solution).toMatchObject({
			best: { nodeId: 1, score: 3 },
			metadata: { iterations: 1, cumulativeIterations: 2, resumed: true },
		});
		const again = await resumeCampaign(problem.output, { maxIterations: 2, environment });
		expect(again).toMatchObject({ best: { nodeId: 3, score: 5 }, metadata: { cumulativeIterations: 4 } });
		expect(await verifyCampaign(problem.output, { environment })).toMatchObject({ ok: true, candidates: 4 });
		const kept = await verifyCampaign(problem.output, { environment, head: solution.metadata.ledgerHead });
		expect(kept).toMatchObject({ ok: false, anchored: false, problems: [{ code: 'HEAD_DIFFERS' }] });
		expect(kept.problems[0]?.message).toMatch(
			/^the head that was kept is line \d+ of \d+: up to it the ledger is as it was/,
		);
		// Written before a setting existed: an older campaign still opens.
		const launchFile = join(problem.output, '.kapso/launch.json');
		const { settings, ...launch } = JSON.parse(await readFile(launchFile, 'utf8'));
		const { agent_variables: _, ...older } = settings;
		await writeFile(launchFile, JSON.stringify({ ...launch, settings: older }));
		expect(await readCampaign(problem.output)).toMatchObject({ candidates: { total: 4 } });
		// This one says otherwise only because the ledger's first line vouches for the file as it was.
		const edited = await verifyCampaign(problem.output, { environment });
		expect(edited.problems.map((problem) => problem.code)).toEqual(['LAUNCH_DIFFERS']);
		const foreign = await verifyCampaign(problem.output, { environment, head: 'f'.repeat(64) });
		expect(foreign.problems.map((problem) => problem.message).join()).toContain(
			'no line of it is the head that was kept',
		);
	});

	it('refuses, before anything is created, a repository that could never be scored [E31, E33]', async () => {
		await using problem = await numberProblem();
		await symlink('/etc/hostname', join(problem.seed, 'outside'));
		await git(problem.seed, 'add', 'outside');
		await git(problem.seed, 'commit', '--quiet', '--message', 'a link that leads out');
		const before = (await readdir(problem.folder)).sort();
		const options = await problem.options(addOne);
		const refused = await evolve(options).catch((error: unknown) => error);
		expect(refused).toMatchObject({
			code: 'SEED_PATHS',
			category: 'usage',
			message: expect.stringContaining('outside'),
		});
		expect((await readdir(problem.folder)).filter((name) => !name.startsWith('agent-')).sort()).toEqual(before);
	});

	it('does not swallow a refused checkout: the complete result comes with the error [D48, RR04]', async () => {
		await using problem = await numberProblem();
		const options = await problem.options(addOne, { maxIterations: 1 });
		await evolve(options);
		await git(problem.output, 'switch', '--quiet', 'main');
		const edit = join(problem.output, 'value.txt');
		const { writeFile } = await import('node:fs/promises');
		await writeFile(edit, 'my own edit');
		const refused = await evolve({ ...options, resume: true, initialRepo: undefined }).catch((error: unknown) => error);
		expect(refused).toBeInstanceOf(DeliveryError);
		expect((refused as DeliveryError).solution).toMatchObject({
			best: { nodeId: 1, score: 3 },
			delivery: { checkedOut: false },
		});
		expect(await readFile(edit, 'utf8')).toBe('my own edit');
	});

	it('stops at a reached target, and only that completes the campaign [A44, A45, M306]', async () => {
		await using problem = await numberProblem();
		const { appendFile } = await import('node:fs/promises');
		await appendFile(join(problem.suite, 'kapso.evaluation.yaml'), 'target_score: 3\n');
		const options = await problem.options(addOne, { maxIterations: 9 });
		expect(await evolve(options)).toMatchObject({ metadata: { stoppedReason: 'goal_achieved', iterations: 2 } });
		expect((await readCampaign(problem.output)).status).toBe('completed');
		await expect(evolve({ ...options, resume: true, initialRepo: undefined })).rejects.toMatchObject({
			code: 'RUN_CHECKPOINT_COMPLETED',
		});
	});

	it('counts no money twice and stops at a budget of zero [A160, A162, E34, E58]', async () => {
		await using problem = await numberProblem();
		const paid =
			"write('value.txt', String(Number(read('value.txt')) + 1)); report({ summary: 'paid', cost_usd: 0.25 });";
		const options = await problem.options(paid, { maxIterations: 9, costBudget: 0.5 });
		expect(await evolve(options)).toMatchObject({
			metadata: { stoppedReason: 'budget_exhausted', stopDetail: 'cost_budget', iterations: 2, costUsd: 0.5 },
		});
		expect(await evolve({ ...options, resume: true, initialRepo: undefined, costBudget: 0.75 })).toMatchObject({
			metadata: { iterations: 1, costUsd: 0.75, stopDetail: 'cost_budget' },
		});
		await using other = await numberProblem();
		expect(await evolve(await other.options(paid, { costBudget: 0 }))).toMatchObject({
			candidates: { total: 0 },
			metadata: { stopDetail: 'cost_budget' },
		});
	});

	it('finalises several candidates an iteration, in the order of their ids, a dying lane alone [A178, E08, XE24]', async () => {
		await using problem = await numberProblem();
		const script = `
const lane = Number(process.env.KAPSO_REPORT_PATH.split('/').at(-2).split('_').at(-1));
if (lane === 1) process.exit(9);
await new Promise((done) => setTimeout(done, lane === 0 ? 600 : 0));
write('value.txt', String(10 + lane)); report({ summary: 'lane ' + lane });`;
		const solution = await evolve(
			await problem.options(script, { maxIterations: 2, parallel: 3, parentPolicy: 'baseline' }),
		);
		expect(solution).toMatchObject({ best: { nodeId: 5, score: 15 }, metadata: { iterations: 2 } });
		const { nodes } = await readCampaign(problem.output);
		expect(nodes.map(({ nodeId, iteration, score, outcome }) => [nodeId, iteration, score, outcome])).toEqual([
			[0, 1, 10, 'scored'],
			[1, 1, null, 'agent-failed'],
			[2, 1, 12, 'scored'],
			[3, 2, 13, 'scored'],
			[4, 2, 14, 'scored'],
			[5, 2, 15, 'scored'],
		]);
		expect(await verifyCampaign(problem.output, { environment })).toMatchObject({ ok: true, problems: [] });
	});

	it('shows an agent neither the campaign nor its siblings, and its caller’s folders to read only [D7, D25, T098, T106, E38, CA22]', async () => {
		await using problem = await numberProblem();
		const script = `
const { readdirSync } = await import('node:fs');
const seen = {};
for (const [name, path] of Object.entries(${JSON.stringify({ campaign: problem.output, state: join(problem.folder, 'state') })})) {
	try { seen[name] = readdirSync(path, { recursive: true }).filter((entry) => !entry.includes('generic_exp_0')).length; } catch (error) { seen[name] = error.code; }
}
for (const path of [${JSON.stringify(join(problem.seed, 'value.txt'))}, ${JSON.stringify(join(problem.suite, 'score.mjs'))}]) {
	try { appendFileSync(path, 'x'); seen.wrote = path; } catch (error) { seen.refused = error.code; }
}
write('value.txt', '2'); report({ summary: JSON.stringify(seen) });`;
		const before = [await readFiles(problem.seed), await readFiles(problem.suite)];
		await evolve(await problem.options(script, { maxIterations: 1 }));
		const [node] = (await readCampaign(problem.output)).nodes;
		const seen = JSON.parse(node!.solution);
		expect(seen).toMatchObject({ campaign: 0, refused: 'EROFS' });
		expect(seen.wrote).toBeUndefined();
		// The way to its own attempt is all that it sees of the state folder.
		expect(seen.state).toBeLessThanOrEqual(3);
		expect([await readFiles(problem.seed), await readFiles(problem.suite)]).toEqual(before);
	});

	it('takes no branch of its name that somebody else made [G12, T068, E36]', async () => {
		await using problem = await numberProblem();
		const { execFileSync } = await import('node:child_process');
		const options = await problem.options(addOne, { maxIterations: 1 });
		const planted = await evolve({
			...options,
			onEvent(event) {
				if (event.type === 'phase' && event.phase === 'finalise')
					execFileSync('git', ['-C', problem.output, 'branch', 'generic_exp_0', 'main']);
			},
		});
		expect(planted.best).toBeNull();
		expect((await readCampaign(problem.output)).nodes[0]).toMatchObject({
			outcome: 'invalid',
			code: 'BRANCH_TAKEN',
			score: null,
		});
	});

	it('lets the agent try its working tree within a budget that it cannot edit [E47]', async () => {
		await using problem = await numberProblem();
		const trying = `
const [program, ...args] = JSON.parse(process.env.KAPSO_TRY);
const answers = [];
for (const value of ['5', '7', '6']) { write('value.txt', value); try { answers.push(execFileSync(program, args, { encoding: 'utf8' }).trim()); } catch (error) { answers.push(String(error.status)); } }
write('value.txt', '7'); report({ summary: answers.join(' ') });`;
		const solution = await evolve(await problem.options(trying, { maxIterations: 1, trialBudget: 2 }));
		expect(solution.best).toMatchObject({ score: 7 });
		const summary = (await readCampaign(problem.output)).nodes[0]!.solution;
		expect(summary).toContain('"outcome":"scored","score":5');
		expect(summary).toContain('"remaining":0');
		expect(summary.endsWith(' 4')).toBe(true);
	});
});

describe("the roadmap's flow", () => {
	it('gives an agent the variables that were named and no other, and writes their values down nowhere [RG04, T105]', async () => {
		await using problem = await numberProblem();
		const script =
			"const names = Object.keys(process.env).sort().join(' '); write('value.txt', '2'); report({ summary: names + ' ' + process.env.AGENT_KEY.length, score: 2 });";
		await evolve(
			await problem.options(script, {
				evalDir: undefined,
				maxIterations: 1,
				agentVariables: ['AGENT_KEY', 'ABSENT_KEY'],
				environment: { PATH: process.env.PATH, AGENT_KEY: 'secret-13579-secret', OTHER_KEY: 'secret-24680-secret' },
			}),
		);
		const [node] = (await readCampaign(problem.output)).nodes;
		// bubblewrap says where it starts the program.
		const place = sandbox.isolation === 'os' ? 'PWD ' : '';
		expect(node?.solution).toBe(
			`AGENT_KEY HOME KAPSO_NONCE KAPSO_REPORT_PATH KAPSO_RUN_ID LANG PATH ${place}TMPDIR 19`,
		);
		const everything = JSON.stringify(await readFiles(problem.folder));
		expect(everything).not.toContain('secret-13579-secret');
		expect(everything).not.toContain('secret-24680-secret');
	});

	it('takes the report where the suite has no commands, and verifies the suite all the same [EI14, EI15, A78, T091]', async () => {
		await using problem = await numberProblem();
		const { rm, writeFile } = await import('node:fs/promises');
		await rm(join(problem.suite, 'kapso.evaluation.yaml'));
		await writeFile(join(problem.suite, 'evaluate.py'), 'print(1)\n');
		const script =
			"const n = Number(read('value.txt')) + 1; write('value.txt', String(n)); if (n === 3) write('kapso_evaluation/evaluate.py', 'print(9)'); report({ summary: 's', score: n });";
		const solution = await evolve(await problem.options(script, { maxIterations: 2 }));
		expect(solution).toMatchObject({
			evaluationLevel: 'published-rule',
			baselineScore: null,
			improved: false,
			best: { nodeId: 0, score: 2, scoreSource: 'agent', confirmed: false, evaluationProvenance: 'provided' },
			metadata: { invalidEvaluations: [1] },
		});
	});

	it('supports an agent that builds its own evaluation [EI05, M510, A79]', async () => {
		await using problem = await numberProblem();
		const script =
			"mkdirSync('kapso_evaluation', { recursive: true }); write('kapso_evaluation/evaluate.py', 'print(1)'); write('value.txt', '2'); report({ summary: 's', score: 0.5 });";
		const solution = await evolve(await problem.options(script, { maxIterations: 1, evalDir: undefined }));
		expect(solution).toMatchObject({
			evaluationLevel: 'agent-reported',
			best: { score: 0.5, evaluationProvenance: 'agent_generated' },
		});
	});
});
