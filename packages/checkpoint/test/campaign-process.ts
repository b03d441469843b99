/**
 * Program of the kill test: a campaign that does nothing but keep its books, in the order of the engine's commit (record,
 * ledger line, run state), as fast as it can; a state that lags behind is caught up first. It says every step that it was told is durable.
 */
import { join } from 'node:path';
import type { LedgerEntry, LedgerLine } from '@kapso-evolve/contracts';
import { acquireCampaignLock, openLedger, openRecords, saveRunState } from '../src/index.ts';
import { runState } from './states.ts';

const [folder = ''] = process.argv.slice(2);
const campaignId = 'campaign-1';
const lock = await acquireCampaignLock({ folder });
const ledger = await openLedger({ path: join(folder, 'ledger.jsonl'), campaignId, slice: 0 });
const records = openRecords(join(folder, 'records'));
const last = ledger.lines.at(-1);
await save(last ?? (await append({ type: 'opened', nodeId: null, attempt: null, data: { campaign_id: campaignId } })));
for (;;) {
	const nodeId = ledger.lines.length;
	const bytes = `work of ${nodeId} `.repeat(500);
	const transcript = await records.put({ nodeId, attempt: 1, name: 'transcript', bytes });
	await save(await append({ type: 'recorded', nodeId, attempt: 1, data: { transcript } }));
	await lock.assertHeld();
}

async function append(entry: LedgerEntry): Promise<LedgerLine> {
	const line = await ledger.append(entry);
	console.log(`appended ${line.seq}`);
	return line;
}

async function save({ seq, sha256 }: LedgerLine): Promise<void> {
	const strategyState = { padding: 'x'.repeat(20_000) };
	const state = runState({ generation: seq, ledgerHead: sha256, strategyState });
	await saveRunState(join(folder, 'run_state.json'), state);
	console.log(`saved ${seq}`);
}
