import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFiles, temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import {
	acquireCampaignLock,
	loadHistory,
	loadRunState,
	openLedger,
	openRecords,
	readLedger,
	readLock,
	saveHistory,
	saveRunState,
} from '../src/index.ts';
import { runState } from './states.ts';

const nobody = 65_534;
const isRoot = process.geteuid?.() === 0;

/** Does something with the rights of a user that owns nothing here. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
	process.seteuid?.(nobody);
	try {
		return await work();
	} finally {
		process.seteuid?.(0);
	}
}

describe.skipIf(!isRoot)('when the system says no (needs root, to become a user without rights)', () => {
	it('a failing rename is heard, the old state loads, and no temporary file is left [A35, M320]', async () => {
		await using folder = await temporaryFolder();
		await chmod(folder.path, 0o1777); // Like /tmp: anybody may create files, only the owner may replace them.
		const path = join(folder.path, 'run_state.json');
		await saveRunState(path, runState());
		await chmod(path, 0o644);
		const before = await readFiles(folder.path);
		await asNobody(async () => {
			await expect(saveRunState(path, runState({ generation: 1 }))).rejects.toMatchObject({
				code: 'WRITE_FAILED',
				category: 'infrastructure',
				data: { errno: 'EPERM' },
			});
			expect(await loadRunState(path)).toEqual(runState());
		});
		expect(await readFiles(folder.path)).toEqual(before);
	});

	it('what cannot be read is not called missing, and nothing is created', async () => {
		await using folder = await temporaryFolder();
		await chmod(folder.path, 0o777);
		const at = (name: string) => join(folder.path, name);
		await saveRunState(at('run_state.json'), runState());
		await saveHistory(at('experiment_history.json'), []);
		const ledger = await openLedger({ path: at('ledger.jsonl'), campaignId: 'campaign-1', slice: 0 });
		await ledger.append({ type: 'opened', nodeId: null, attempt: null, data: { campaign_id: 'campaign-1' } });
		await ledger.close();
		const lock = await acquireCampaignLock({ folder: folder.path });
		const digest = await openRecords(at('records')).put({ nodeId: 0, attempt: 1, name: 'diff', bytes: '' });
		await chmod(at('records/0/1'), 0o700);
		const before = await readFiles(folder.path);
		await asNobody(async () => {
			for (const attempt of [
				() => loadRunState(at('run_state.json')),
				() => saveRunState(at('run_state.json'), runState({ generation: 1 })),
				() => loadHistory(at('experiment_history.json')),
				() => readLedger({ path: at('ledger.jsonl') }),
				() => openLedger({ path: at('ledger.jsonl'), campaignId: 'campaign-1', slice: 1 }),
				() => readLock(folder.path),
				() => acquireCampaignLock({ folder: folder.path }),
				() => openRecords(at('records')).read({ nodeId: 0, attempt: 1, sha256: digest }),
			]) {
				await expect(attempt()).rejects.toMatchObject({
					code: 'READ_FAILED',
					category: 'infrastructure',
					data: { errno: 'EACCES' },
				});
			}
		});
		expect(await readFiles(folder.path)).toEqual(before);
		await lock.release();
	});

	it('a folder that may not be written refuses every writer by name and stays as it is', async () => {
		await using folder = await temporaryFolder();
		await chmod(folder.path, 0o755);
		await mkdir(join(folder.path, 'records'));
		await asNobody(async () => {
			for (const attempt of [
				() => saveRunState(join(folder.path, 'run_state.json'), runState()),
				() => saveHistory(join(folder.path, 'experiment_history.json'), []),
				() => acquireCampaignLock({ folder: folder.path }),
				() => openLedger({ path: join(folder.path, 'ledger.jsonl'), campaignId: 'campaign-1', slice: 0 }),
				() => openRecords(join(folder.path, 'records')).put({ nodeId: 0, attempt: 1, name: 'diff', bytes: '' }),
			]) {
				await expect(attempt()).rejects.toMatchObject({ code: 'WRITE_FAILED', category: 'infrastructure' });
			}
		});
		expect(await readFiles(folder.path)).toEqual({});
		await expect(readFile(join(folder.path, 'lock'))).rejects.toMatchObject({ code: 'ENOENT' });
	});
});
