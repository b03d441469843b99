import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureCampaign } from './long-campaign.ts';
import { measureSaves, type SaveRow } from './save-and-load.ts';

const { values } = parseArgs({
	options: {
		json: { type: 'boolean', default: false },
		candidates: { type: 'string', default: '10000' },
		rounds: { type: 'string', default: '15' },
	},
});
const saves: SaveRow[] = [];
const disk = await mkdtemp(join(tmpdir(), 'kapso-bench-'));
/** In memory: how long a sync takes says nothing about whether the engine's own work grows. */
const memory = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'kapso-bench-'));
try {
	for (const count of [10, 1000, 10_000]) saves.push(await measureSaves(disk, count, Number(values.rounds)));
	const campaign = await measureCampaign(memory, Number(values.candidates));
	if (values.json) process.stdout.write(`${JSON.stringify({ schema_version: 1, saves, campaign }, null, 2)}\n`);
	else {
		console.table(saves);
		console.table([campaign]);
	}
} finally {
	await rm(disk, { recursive: true, force: true });
	await rm(memory, { recursive: true, force: true });
}
