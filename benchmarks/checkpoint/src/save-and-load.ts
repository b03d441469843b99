import { open } from 'node:fs/promises';
import { join } from 'node:path';
import {
	createFingerprint,
	createRunStateSaver,
	type FingerprintSettings,
	fingerprintKeys,
	loadRunState,
	type RunState,
} from '@kapso-evolve/checkpoint';
import { sha256 } from '@kapso-evolve/contracts';
import { createGenericSearch } from '@kapso-evolve/search';
import { median, round, timed } from './measure.ts';
import { sampleNode } from './sample.ts';

export interface SaveRow {
	readonly nodes: number;
	readonly bytes: number;
	/** Milliseconds to dump the strategy and save the state after one more candidate. */
	readonly save_ms: number;
	/** Milliseconds to stringify the same state, write it and sync the file. */
	readonly plain_ms: number;
	readonly ratio: number;
	readonly load_ms: number;
	/** Milliseconds to read the file and parse it. */
	readonly plain_load_ms: number;
	readonly load_ratio: number;
}

/** Saves and plain writes in turn, in the same folder. */
export async function measureSaves(folder: string, count: number, rounds: number): Promise<SaveRow> {
	const path = join(folder, `run_state-${count}.json`);
	const nodes = Array.from({ length: count }, (_, id) => sampleNode(id));
	const times = { save: [] as number[], plain: [] as number[], load: [] as number[], plainLoad: [] as number[] };
	const save = createRunStateSaver(path);
	await save(stateOf(nodes, 0));
	let bytes = 0;
	for (let generation = 1; generation <= rounds; generation++) {
		nodes[count - 1] = { ...nodes[count - 1]! };
		times.save.push(await timed(() => save(stateOf(nodes, generation))));
		const loaded = await loadRunState(path);
		times.plain.push(await timed(() => writePlainly(`${path}.plain`, loaded)));
		times.load.push(await timed(() => loadRunState(path)));
		times.plainLoad.push(
			await timed(async () => {
				bytes = await readPlainly(path);
			}),
		);
	}
	const [saved, plain, load, plainLoad] = [times.save, times.plain, times.load, times.plainLoad].map(median);
	return {
		nodes: count,
		bytes,
		save_ms: round(saved!),
		plain_ms: round(plain!),
		ratio: round(saved! / plain!),
		load_ms: round(load!),
		plain_load_ms: round(plainLoad!),
		load_ratio: round(load! / plainLoad!),
	};
}

async function writePlainly(path: string, state: RunState): Promise<void> {
	await using handle = await open(path, 'w');
	await handle.writeFile(JSON.stringify(state));
	await handle.sync();
}

async function readPlainly(path: string): Promise<number> {
	await using handle = await open(path, 'r');
	const bytes = await handle.readFile();
	JSON.parse(bytes.toString('utf8'));
	return bytes.length;
}

function stateOf(nodes: ReturnType<typeof sampleNode>[], generation: number): RunState {
	const goal = 'Make it faster';
	const nothing = Object.fromEntries(fingerprintKeys.map((key) => [key, null])) as unknown as FingerprintSettings;
	const { digest, parts } = createFingerprint(nothing);
	return {
		schemaVersion: 3,
		campaignId: 'bench',
		engineVersion: '0.1.0',
		generation,
		ledgerHead: sha256('bench'),
		status: 'running',
		strategyType: 'generic',
		goal,
		goalHash: sha256(goal),
		configFingerprint: digest,
		fingerprintParts: { ...parts },
		completedIterations: nodes.length,
		cumulativeCost: 1,
		costUnknown: false,
		costByComponent: { agent: 1 },
		elapsedSeconds: 1,
		currentFeedback: null,
		lastStop: null,
		baselineScore: null,
		strategyState: createGenericSearch({ parentPolicy: 'best', objective: 'maximize', nodes }).dumpState(),
	};
}
