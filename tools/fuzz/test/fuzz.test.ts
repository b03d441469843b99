import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { prepareWorkspace } from '../src/load-workspace.ts';
import { plants } from '../src/plants.ts';
import { fuzzWorkspace } from '../src/workspace.ts';

it('finds every protection where its plant looks for it, once', async () => {
	await using temporary = await temporaryFolder();
	expect(new Set(plants.map(({ name }) => name)).size).toBe(plants.length);
	for (const plant of plants) await prepareWorkspace(plant, temporary.path);
});

it('loses nothing in random repositories [RG01, D1, D2]', async () => {
	const said: string[] = [];
	const report = await fuzzWorkspace({ seed: 'test', cases: 20, lanes: 1, say: (line) => said.push(line) });
	expect(said).toEqual([]);
	expect(report).toMatchObject({ cases: 20, bytes_lost: 0, refs_lost: 0, unexplained: 0 });
});

it('notices when a protection is taken out', async () => {
	const plant = plants.find(({ name }) => name === 'archive') ?? null;
	const report = await fuzzWorkspace({ seed: 'test', cases: 100, lanes: 1, plant, untilFound: true, say: () => {} });
	expect(report.bytes_lost).toBeGreaterThan(0);
});
