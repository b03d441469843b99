import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { KapsoError } from '@kapso-evolve/contracts';
import { currentProcess } from '@kapso-evolve/process';
import { fakeClock, temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { acquireCampaignLock, CampaignLockedError, type LockHolder, readLock } from '../src/index.ts';
import { encodeHolder } from '../src/lock-holder.ts';

const program = join(import.meta.dirname, 'lock-process.ts');
const me = currentProcess();

/** A process that takes and releases locks on command; killed when the test is over. */
async function startTaker() {
	const conditions = '--conditions=@kapso-evolve/source';
	const child = spawn(process.execPath, [conditions, program], { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
	const closed = once(child, 'close');
	const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const answer = async () => String((await answers.next()).value);
	const ask = (...command: readonly unknown[]) => {
		child.stdin.write(`${command.join('\t')}\n`);
		return answer();
	};
	const kill = async () => {
		child.kill('SIGKILL');
		await closed;
	};
	expect(await answer()).toBe('ready');
	return { pid: child.pid, ask, kill, [Symbol.asyncDispose]: kill };
}

/** Leaves the lock file of a holder that is no longer there, or elsewhere. */
async function leaveLock(folder: string, changes: Partial<LockHolder>, name = 'lock'): Promise<void> {
	const { pid, host, bootId, startTime } = me;
	const holder = { pid, host, bootId, startTime, nonce: 'old', since: '2030-01-01T00:00:00.000Z' };
	await writeFile(join(folder, name), encodeHolder({ ...holder, ...changes }));
}

describe('the campaign lock', () => {
	it('is a file that says who, where and since when, and goes with its release', async () => {
		await using folder = await temporaryFolder();
		const kapso = join(folder.path, '.kapso');
		const lock = await acquireCampaignLock({ folder: kapso, clock: fakeClock() });
		expect(JSON.parse(await readFile(join(kapso, 'lock'), 'utf8'))).toEqual({
			pid: process.pid,
			host: me.host,
			boot_id: me.bootId,
			start_time: me.startTime,
			nonce: lock.nonce,
			since: '2030-01-01T00:00:00.000Z',
			sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
		});
		expect(await readLock(kapso)).toEqual(lock.holder);
		await lock.assertHeld();
		await lock.release();
		await lock.release();
		expect(await readdir(kapso)).toEqual([]);
		expect(await readLock(kapso)).toBeNull();
	});

	it('refuses a second taker at once, naming the holder, and works on [D16]', async () => {
		await using folder = await temporaryFolder();
		const lock = await acquireCampaignLock({ folder: folder.path, clock: fakeClock() });
		const error = await acquireCampaignLock({ folder: folder.path }).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(CampaignLockedError);
		expect(KapsoError.isInstance(error)).toBe(true);
		expect(error).toMatchObject({
			code: 'CAMPAIGN_LOCKED',
			category: 'locked',
			data: { pid: process.pid, host: me.host, since: '2030-01-01T00:00:00.000Z' },
			hint: expect.stringContaining('kapso-evolve status'),
		});
		await lock.assertHeld();
		await lock.release();
		await (await acquireCampaignLock({ folder: folder.path })).release();
	});

	it('is taken over at once from a holder killed with SIGKILL', async () => {
		await using folder = await temporaryFolder();
		await using other = await startTaker();
		expect(await other.ask('take', folder.path)).toMatch(/^won /);
		await expect(acquireCampaignLock({ folder: folder.path })).rejects.toMatchObject({ data: { pid: other.pid } });
		await other.kill();
		const start = performance.now();
		const lock = await acquireCampaignLock({ folder: folder.path });
		expect(performance.now() - start).toBeLessThan(1000);
		expect(await readdir(folder.path)).toEqual(['lock']);
		await lock.assertHeld();
		await lock.release();
	});

	it.each<[string, Partial<LockHolder>]>([
		['the machine was started again since', { bootId: 'another-boot' }],
		['its pid belongs to a later process now', { startTime: me.startTime.replace(/^\d+/, '1') }],
		['its pid belongs to nobody', { pid: 2 ** 22 - 3, startTime: me.startTime.replace(/^\d+/, '1') }],
	])('is taken over when %s', async (_name, changes) => {
		await using folder = await temporaryFolder();
		await leaveLock(folder.path, changes);
		const lock = await acquireCampaignLock({ folder: folder.path });
		expect((await readLock(folder.path))?.nonce).toBe(lock.nonce);
		await lock.release();
		expect(await readdir(folder.path)).toEqual([]);
	});

	it('is taken over when an earlier taker-over died half way, too', async () => {
		await using folder = await temporaryFolder();
		await leaveLock(folder.path, { bootId: 'another-boot' });
		await leaveLock(folder.path, { bootId: 'another-boot', nonce: 'guard' }, 'lock.takeover');
		const lock = await acquireCampaignLock({ folder: folder.path });
		expect(await readdir(folder.path)).toEqual(['lock']);
		await lock.release();
	});

	it('is not taken over while another process is taking it over', async () => {
		await using folder = await temporaryFolder();
		await leaveLock(folder.path, { bootId: 'another-boot' });
		await leaveLock(folder.path, { nonce: 'guard' }, 'lock.takeover');
		await expect(acquireCampaignLock({ folder: folder.path })).rejects.toMatchObject({ code: 'CAMPAIGN_LOCKED' });
		expect((await readLock(folder.path))?.nonce).toBe('old');
	});

	it('is never taken over from another host, and the refusal says what to type if that host is gone', async () => {
		await using folder = await temporaryFolder();
		await leaveLock(folder.path, { host: 'elsewhere', bootId: 'another-boot' });
		await expect(acquireCampaignLock({ folder: folder.path })).rejects.toMatchObject({
			code: 'CAMPAIGN_LOCKED',
			data: { host: 'elsewhere' },
			hint: expect.stringContaining(`rm '${join(folder.path, 'lock')}'`),
		});
	});

	it.each(['', '{', '{"pid":1}', '[]'])('is nobody’s to guess when its file holds %j', async (content) => {
		await using folder = await temporaryFolder();
		await writeFile(join(folder.path, 'lock'), content);
		await expect(acquireCampaignLock({ folder: folder.path })).rejects.toMatchObject({
			code: 'LOCK_UNREADABLE',
			category: 'locked',
		});
		await expect(readLock(folder.path)).rejects.toMatchObject({ code: 'LOCK_UNREADABLE' });
		expect(await readFile(join(folder.path, 'lock'), 'utf8')).toBe(content);
	});

	it('with any single byte changed is nobody’s to guess: a living holder never looks dead', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'lock');
		await leaveLock(folder.path, {});
		const bytes = await readFile(path);
		for (let index = 0; index < bytes.length; index++) {
			for (const mask of [1, 2, 32]) {
				const changed = Buffer.from(bytes);
				changed[index]! ^= mask;
				await writeFile(path, changed);
				await expect(readLock(folder.path)).rejects.toMatchObject({ code: 'LOCK_UNREADABLE' });
			}
		}
	});

	it('is noticed to be lost, and another’s is not released', async () => {
		await using folder = await temporaryFolder();
		const lock = await acquireCampaignLock({ folder: folder.path });
		await leaveLock(folder.path, { pid: 4711, nonce: 'theirs' });
		await expect(lock.assertHeld()).rejects.toMatchObject({
			code: 'CAMPAIGN_LOCK_LOST',
			category: 'locked',
			data: { pid: 4711 },
		});
		await lock.release();
		expect((await readLock(folder.path))?.nonce).toBe('theirs');
		await rm(join(folder.path, 'lock'));
		await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'CAMPAIGN_LOCK_LOST' });
	});

	it('goes to exactly one of two processes that try at the same moment, free or stale, a hundred times [D16]', async () => {
		await using first = await startTaker();
		await using second = await startTaker();
		for (let round = 0; round < 100; round++) {
			await using folder = await temporaryFolder();
			if (round % 2 === 1) await leaveLock(folder.path, { bootId: 'another-boot' });
			const at = Date.now() + 5;
			const said = await Promise.all([first.ask('take', folder.path, at), second.ask('take', folder.path, at)]);
			expect(said.map((line) => line.split(' ')[0]).sort()).toEqual(['CAMPAIGN_LOCKED', 'won']);
			expect(said).toContain(`won ${(await readLock(folder.path))?.nonce}`);
			await Promise.all([first.ask('release'), second.ask('release')]);
			expect(await readdir(folder.path)).toEqual([]);
		}
	});
});
