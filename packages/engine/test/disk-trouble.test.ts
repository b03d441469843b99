import { execFile, execFileSync } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KapsoError } from '@kapso-evolve/contracts';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { readCampaign } from '../src/index.ts';
import { createScriptedWorld } from '../src/testing.ts';
import { scriptedAgent } from './scripted-agent.ts';

const mount = (...args: string[]) => promisify(execFile)('mount', args);

/** Root in a container may lack the right to mount. */
function canMount(): boolean {
	try {
		execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
		return process.geteuid?.() === 0;
	} catch {
		return false;
	}
}

interface Trouble {
	/** Makes the disk fail while the second candidate's agent works. */
	readonly begin: (disk: string) => Promise<unknown>;
	readonly end: (disk: string) => Promise<unknown>;
	readonly code: string;
}

/** Three candidates; at the second the disk fails. Then it is well again, and the campaign goes on. */
async function goThrough(disk: string, outside: string, trouble: Trouble) {
	const output = join(disk, 'campaign');
	const world = createScriptedWorld();
	let troubled = false;
	const agent = scriptedAgent(async (_, call) => {
		if (call === 1) {
			await trouble.begin(disk);
			troubled = true;
		}
		return { score: call };
	});
	const environment = { PATH: process.env.PATH };
	const workDir = join(outside, 'state');
	const failure = await world
		.evolve({ goal: 'survive', outputPath: output, workDir, agent, maxIterations: 3, environment })
		.catch((error: unknown) => error);
	expect(troubled).toBe(true);
	expect(KapsoError.isInstance(failure) && failure).toMatchObject({ code: trouble.code, category: 'infrastructure' });
	expect((failure as KapsoError).hint.length).toBeGreaterThan(20);
	await trouble.end(disk);
	expect((await readCampaign(output)).nodes.map((node) => node.score)).toEqual([0]);
	const resumed = await world.resume(output, { agent, environment });
	expect(resumed.metadata.cumulativeIterations).toBe(3);
	expect((await readCampaign(output)).nodes.map((node) => node.nodeId)).toEqual([0, 1, 2]);
}

describe.skipIf(!canMount())('a campaign on a disk (needs the right to mount one)', () => {
	it('that is full stops with a name, loses nothing and goes on when there is room [M320]', async () => {
		await using disk = await smallDisk();
		await goThrough(disk.path, disk.outside, {
			begin: async (path) => await writeFile(join(path, 'ballast'), Buffer.alloc(2 ** 21)).catch(() => {}),
			end: async (path) => await mount('-o', 'remount,size=8m', path),
			code: 'WRITE_FAILED',
		});
	});

	it('that is read-only is not touched, says so, and goes on when it can be written [M320]', async () => {
		await using disk = await smallDisk();
		const world = createScriptedWorld();
		const options = { agent: scriptedAgent(async () => ({ score: 1 })), environment: { PATH: process.env.PATH } };
		const output = join(disk.path, 'campaign');
		const workDir = join(disk.outside, 'state');
		await world.evolve({ ...options, goal: 'survive', outputPath: output, workDir, maxIterations: 1 });
		await mount('-o', 'remount,ro', disk.path);
		await expect(world.resume(output, { ...options, maxIterations: 1 })).rejects.toMatchObject({
			code: 'WRITE_FAILED',
			category: 'infrastructure',
			data: { errno: 'EROFS' },
		});
		expect((await readCampaign(output)).nodes).toHaveLength(1);
		await mount('-o', 'remount,rw', disk.path);
		await world.resume(output, { ...options, maxIterations: 1 });
		expect((await readCampaign(output)).nodes).toHaveLength(2);
	});
});

async function smallDisk() {
	const temporary = await temporaryFolder();
	const path = join(temporary.path, 'disk');
	await mkdir(path);
	await mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path);
	return {
		path,
		outside: temporary.path,
		async [Symbol.asyncDispose]() {
			await promisify(execFile)('umount', [path]);
			await temporary[Symbol.asyncDispose]();
		},
	};
}

it('a campaign whose folder vanishes stops with a name and goes on when it is back [M320]', async () => {
	await using temporary = await temporaryFolder();
	const disk = join(temporary.path, 'disk');
	await mkdir(disk);
	await goThrough(disk, temporary.path, {
		begin: (folder) => rename(join(folder, 'campaign'), join(folder, 'elsewhere')),
		async end(folder) {
			await rename(join(folder, 'elsewhere'), join(folder, 'campaign'));
			// The lock went with the folder, and its process, which is this one, has not died as an engine would have.
			await rm(join(folder, 'campaign', '.kapso', 'lock'));
		},
		code: 'CAMPAIGN_FOLDER_GONE',
	});
});
