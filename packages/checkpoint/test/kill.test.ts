import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@kapso-evolve/contracts';
import { sweepTemporaries } from '@kapso-evolve/durable-fs';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { acquireCampaignLock, loadRunState, openRecords, readLedger } from '../src/index.ts';

const program = join(import.meta.dirname, 'campaign-process.ts');

/** Runs the bookkeeper until it has said something and for `milliseconds` more, kills it, and gives what it had said. */
async function runAndKill(folder: string, milliseconds: number): Promise<{ appended: number; saved: number }> {
	const conditions = '--conditions=@kapso-evolve/source';
	const child = spawn(process.execPath, [conditions, program, folder], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: {},
	});
	const closed = once(child, 'close');
	let said = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		said += text;
	});
	await Promise.race([once(child.stdout, 'data'), closed]);
	await sleep(milliseconds);
	child.kill('SIGKILL');
	const [, signal] = await closed;
	expect(signal).toBe('SIGKILL');
	const last = (verb: string) => Number([...said.matchAll(new RegExp(`^${verb} (\\d+)\\n`, 'gm'))].at(-1)?.[1] ?? -1);
	return { appended: last('appended'), saved: last('saved') };
}

it('nothing that was acknowledged is lost when the writer is killed at any instant, ten times over one campaign [D17, E26, M320]', async () => {
	await using folder = await temporaryFolder();
	const random = seededRandom(20_260_101);
	const records = openRecords(join(folder.path, 'records'));
	for (let kill = 0; kill < 10; kill++) {
		const { appended, saved } = await runAndKill(folder.path, random.next() * 40);
		const { lines } = await readLedger({ path: join(folder.path, 'ledger.jsonl') });
		const state = await loadRunState(join(folder.path, 'run_state.json')).catch((thrown: { code?: string }) => {
			if (thrown.code === 'RUN_CHECKPOINT_MISSING' && saved === -1) return null;
			throw thrown;
		});
		expect(lines.length).toBeGreaterThan(appended);
		if (state !== null) {
			expect(state.generation).toBeGreaterThanOrEqual(saved);
			expect(lines[state.generation]?.sha256).toBe(state.ledgerHead);
			expect(lines.length - 1 - state.generation).toBeLessThanOrEqual(1);
		}
		for (const { node_id, data } of lines.slice(1)) {
			await records.read({ nodeId: node_id, attempt: 1, sha256: String(data.transcript) });
		}
	}
	const lock = await acquireCampaignLock({ folder: folder.path });
	await sweepTemporaries(folder.path);
	expect((await readdir(folder.path)).sort()).toEqual(['ledger.jsonl', 'lock', 'records', 'run_state.json']);
	await lock.release();
});
