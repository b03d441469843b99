import { readdir } from 'node:fs/promises';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { errorDocumentSchema } from '../src/report-error.ts';
import { runHere } from './run-here.ts';

it.each([
	[['evlve'], 'Did you mean evolve?'],
	[['evolve', '--outptu', 'x'], 'Did you mean --output?'],
	[['status', '.', '--jsn'], 'Did you mean --json?'],
	[['status'], "missing required argument 'dir'"],
	[['status', 'a', 'b'], 'too many arguments'],
	[['show', '.', 'first'], 'whole number from 0'],
	[['evolve', '--iterations', '0'], 'whole number from 1'],
	[['evolve', '--iterations', '1e3'], 'whole number from 1'],
	[['evolve', '--time-budget-minutes', 'NaN'], 'number above 0'],
	[['evolve', '--cost-budget', '-1'], 'number from 0'],
	[['evolve', '--log-level', 'loud'], 'Allowed choices'],
	[['evolve', '--goal', 'a', '--goal-file', 'b'], 'cannot be used with'],
	[['evolve', '--eval-dir', 'a', '--private-eval-dir', 'b'], 'cannot be used with'],
	[['evolve', '--evaluator', 'a#b', '--evaluator-command', 'b'], 'cannot be used with'],
	[['evolve', '--output', 'o', '--agent', 'gi'], 'needs a goal'],
	[['evolve', '--output', 'o', '--agent', 'gi', '--goal', ' '], '--goal is empty'],
	[['evolve', '--output', 'o', '--goal', 'g'], 'no coding agent was named'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'command-'], 'command'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'gi', '--mode', 'M'], 'unknown mode "M"'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'gi', '--config', 'absent.yaml'], 'cannot be read'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'gi', '--parallel', '0'], 'whole number from 1'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'gi', '--evaluator', 'module.mjs'], 'name an export'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'command', '--agent-command', 'a | b'], 'no shell runs here'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'gi', '--eval-dir', 'absent'], 'absent'],
	[['evolve', '--output', 'o', '--goal', 'g', '--agent', 'gi', '--resume'], 'o'],
	[['resume', 'absent'], 'absent'],
	[['status', 'absent'], 'absent'],
	[['log', 'absent'], 'absent'],
	[['show', 'absent', '0'], 'absent'],
	[['verify', 'absent'], 'absent'],
	[['evaluate'], '--eval-dir'],
	[['evaluate', '.', '--eval-dir', 'absent'], 'absent'],
	[['evaluate', 'gone', '--eval-dir', '.'], 'gone'],
	[['evaluate', import.meta.filename, '--eval-dir', '.'], 'is not a folder'],
])('refuses %j with exit code 2, says why and what to type, and creates nothing', async (args, reason) => {
	await using folder = await temporaryFolder();
	const text = await runHere(args, { folder: folder.path });
	expect(text).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
	expect(text.stderr).toMatch(/^error [A-Z_]+ .+\nhint {2}.+\n$/s);

	const json = await runHere([...args, '--json'], { folder: folder.path });
	expect(json).toMatchObject({ code: 2, stderr: '' });
	const { error } = errorDocumentSchema.parse(JSON.parse(json.stdout));
	expect(`${error.message} ${error.hint}`).toContain(reason);
	expect(error.hint).not.toBe('');
	expect(await readdir(folder.path)).toEqual([]);
});
